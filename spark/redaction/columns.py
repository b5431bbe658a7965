"""The allow-list: every column of every table that a share may contain, with its kind.

Anything else is not written. `tests/spark/redaction/test_columns.py` fails if a table of `spark.tables` has a column without
a kind.
"""

from __future__ import annotations

from enum import Enum


class ColumnKind(Enum):
    """What a column contains, which decides how it is redacted."""

    PLAIN = "a number, a flag, or a constant of the code: offsets, times, sizes, codecs, file formats and what they lack"
    WORD = "a name that Journalscope's own code gives, or the journal where it uses one that the code does not know"
    TOPIC = "a topic's name"
    COPY = "the name of a partition's copy: a folder of the upload"
    KEY = "bytes of a key"
    KEY_HASH_1 = "first half of a key's hash"
    KEY_HASH_2 = "second half"
    VALUE = "bytes of a value"
    HEADERS = "headers of a record"
    KEY_FORM = "what the bytes of a key look like, and the schema id in front of them"
    VALUE_FORM = "the same of a value"
    ENTRY_ID = "what an entry is about: an id out of its key or value, parts joined with `/`"
    ENTITY_ID = "an entity's id, as the entries have it"
    NEEDED_ID = "the id of an entity behind its type"
    NAME = "a name that a cluster or its tools gave: a transactional id, a group"
    SETTING = "the name of a setting or a schema in an uploaded file"
    MEMBERS = "a JSON object of what was decoded"
    TEXT = "a sentence about the log or a record, which may quote it"
    TEXTS = "several of them"
    CONTENT = "text of an uploaded file"
    FILE_NAME = "the name of an uploaded file"


def _of(kind: ColumnKind, names: str) -> dict[str, ColumnKind]:
    return dict.fromkeys(names.split(), kind)


_REPLICA = {"topic": ColumnKind.TOPIC, "partition": ColumnKind.PLAIN, "replica": ColumnKind.COPY}
_FILE = _REPLICA | {"file": ColumnKind.PLAIN}
_KEY_HASH = {"key_hash_1": ColumnKind.KEY_HASH_1, "key_hash_2": ColumnKind.KEY_HASH_2}
_PLAIN = ColumnKind.PLAIN

# Whoever guesses what is hidden could check the guess with these: told only of batches that are shown as they are.
CHECKSUMS = frozenset({"crc_stored", "crc_computed"})
# Tables whose rows stand in the order of names or of keys' own hashes: written in the order of what is shown for them.
ORDERED_BY = {
    "keys": ("key_hash_1", "key_hash_2"),
    "state": ("valid_from_offset", "entity_id"),
    "older_entities": ("origin_offset", "entity_id"),
    "older_deletions": ("deleted_at_offset", "entity_id"),
    "refusals": ('"offset"', "entity_id"),
}

COLUMNS: dict[str, dict[str, ColumnKind]] = {
    "files": _FILE
    | _of(_PLAIN, "sha256 kind layout layout_title cannot_tell base_offset size_bytes")
    | {"name": ColumnKind.FILE_NAME, "note": ColumnKind.TEXT},
    "batches": _FILE
    | _of(
        _PLAIN,
        "position size_bytes base_offset last_offset magic codec timestamp_type base_timestamp_ms max_timestamp_ms "
        "delete_horizon_ms leader_epoch producer_id producer_epoch base_sequence is_transactional is_control "
        "record_count records_read crc_stored crc_computed crc_ok",
    ),
    "records": _FILE
    | _KEY_HASH
    | _of(
        _PLAIN,
        "offset batch_position timestamp_ms timestamp_type key_is_null value_is_null key_size_bytes "
        "value_size_bytes control_type producer_id producer_epoch sequence",
    )
    | {"key": ColumnKind.KEY, "value": ColumnKind.VALUE, "headers": ColumnKind.HEADERS}
    | _of(ColumnKind.KEY_FORM, "key_form key_schema_id")
    | _of(ColumnKind.VALUE_FORM, "value_form value_schema_id")
    | _of(ColumnKind.WORD, "entry_type entry_action"),
    "damage": _FILE
    | _of(_PLAIN, "position size_bytes reason first_offset last_offset batches_after")
    | {"detail": ColumnKind.TEXT},
    "set_aside": _of(_PLAIN, "file line position size_bytes kind records")
    | {"name": ColumnKind.FILE_NAME, "text": ColumnKind.CONTENT},
    "copy_changes": _FILE
    | _of(_PLAIN, "cause is_undone changed")
    | {"name": ColumnKind.FILE_NAME, "detail": ColumnKind.CONTENT},
    "index_entries": _FILE | _of(_PLAIN, "base_offset kind offset position_bytes timestamp_ms"),
    "runs": _FILE | _of(_PLAIN, "position first_offset last_offset"),
    "fetch_faults": _FILE
    | _of(_PLAIN, "first_offset last_offset search_position answer continues_at records_skipped"),
    "epoch_entries": _FILE | _of(_PLAIN, "epoch start_offset"),
    "aborted_txns": _FILE
    | _of(_PLAIN, "base_offset producer_id first_offset last_offset last_stable_offset"),
    "producer_states": _FILE
    | _of(
        _PLAIN,
        "snapshot_offset producer_id producer_epoch last_sequence last_offset offset_delta timestamp_ms "
        "coordinator_epoch current_txn_first_offset",
    ),
    "checkpoints": _FILE | _of(_PLAIN, "kind offset"),
    "properties": _FILE | {"name": ColumnKind.SETTING, "value": ColumnKind.CONTENT},
    "captures": _FILE
    | _of(
        _PLAIN,
        "captured_at_ms cleanup_policy leader release inter_broker_protocol_version message_format_version "
        "is_topics_format max_transaction_ms log_start_offset high_watermark last_stable_offset asked_first_offset "
        "asked_end_offset first_offset next_offset stopped_by fetch_version is_converted knows_producers "
        "knows_transactions aborts_first_offset aborts_end_offset",
    )
    | {
        "cluster": ColumnKind.CONTENT,
        "captured_by": ColumnKind.CONTENT,
        "events": ColumnKind.TEXTS,
        "not_asked": ColumnKind.TEXTS,
    },
    "captured_producers": _FILE
    | _of(
        _PLAIN,
        "producer_id producer_epoch last_sequence last_timestamp_ms coordinator_epoch current_txn_first_offset",
    ),
    "captured_transactions": _of(_PLAIN, "file producer_id producer_epoch state timeout_ms started_at_ms")
    | {"transactional_id": ColumnKind.NAME, "partitions": ColumnKind.TEXTS},
    "captured_aborts": _FILE | _of(_PLAIN, "producer_id first_offset"),
    "printed": _of(
        _PLAIN,
        "partition file kind value offset end_offset is_active producer_id producer_epoch timestamp_ms",
    )
    | {"topic": ColumnKind.TOPIC, "name": ColumnKind.NAME},
    "gaps": _REPLICA | _of(_PLAIN, "first_offset last_offset cause") | {"proof": ColumnKind.TEXT},
    "epochs": _REPLICA
    | _of(_PLAIN, "epoch first_offset last_offset batches first_timestamp_ms checkpoint_offset"),
    "formats": _REPLICA
    | _of(
        _PLAIN,
        "number magic first_offset last_offset batches first_timestamp_ms last_timestamp_ms first_leader_epoch "
        "last_leader_epoch",
    ),
    "transactions": _REPLICA
    | _of(
        _PLAIN,
        "producer_id producer_epoch first_offset last_offset records first_timestamp_ms last_timestamp_ms "
        "marker_offset marker_timestamp_ms marker_epoch coordinator_epoch outcome ended_as is_indexed "
        "first_stable_offset",
    ),
    "cleanings": _REPLICA
    | _of(
        _PLAIN,
        "compacted first_dirty_offset dirty_from active_offset first_uncleanable_offset stopped_by clean_bytes "
        "cleanable_bytes removed_records removed_when_compacted",
    )
    | {"why": ColumnKind.TEXT},
    "entries": _FILE
    | _of(_PLAIN, "offset reading")
    | _of(ColumnKind.WORD, "entry_type entry_action")
    | {"entity_id": ColumnKind.ENTRY_ID, "attributes": ColumnKind.MEMBERS, "decode_error": ColumnKind.TEXT},
    "lifelines": _REPLICA
    | _KEY_HASH
    | _of(_PLAIN, "offset timestamp_ms previous_offset superseded_by kind key_size_bytes value_size_bytes")
    | {"entry_type": ColumnKind.WORD},
    "marks": _REPLICA
    | _KEY_HASH
    | _of(_PLAIN, "offset timestamp_ms kind key_size_bytes value_size_bytes")
    | {"entry_type": ColumnKind.WORD},
    "keys": _REPLICA
    | _KEY_HASH
    | _of(_PLAIN, "first_offset last_offset versions tombstones live_bytes dead_bytes")
    | {"key": ColumnKind.KEY, "entry_type": ColumnKind.WORD},
    "older_entities": _REPLICA
    | _of(_PLAIN, "dumped_at_ms origin_offset")
    | {
        "dump": ColumnKind.COPY,
        "entity_type": ColumnKind.WORD,
        "entity_id": ColumnKind.ENTITY_ID,
        "attributes": ColumnKind.MEMBERS,
    },
    "older_deletions": _REPLICA
    | _of(_PLAIN, "origin_offset deleted_at_offset")
    | {
        "dump": ColumnKind.COPY,
        "entity_type": ColumnKind.WORD,
        "entity_id": ColumnKind.ENTITY_ID,
        "attributes": ColumnKind.MEMBERS,
    },
    "state": _REPLICA
    | _of(_PLAIN, "is_own view valid_from_offset valid_to_offset origin_offset")
    | _of(ColumnKind.WORD, "profile entity_type")
    | {"entity_id": ColumnKind.ENTITY_ID, "attributes": ColumnKind.MEMBERS},
    "refusals": _REPLICA
    | _of(_PLAIN, "is_own view offset available_from_offset")
    | _of(ColumnKind.WORD, "profile entity_type reason")
    | {"entity_id": ColumnKind.ENTITY_ID, "needs": ColumnKind.NEEDED_ID},
}
