"""Tables that relate records to each other: entries, lifelines, marks, keys, state."""

from __future__ import annotations

from spark.tables._schema import OF_FILE, OF_REPLICA, table

ENTRIES = table(
    "entries",
    "data record as its dialect reads it",
    *OF_FILE,
    ("offset", "bigint", ""),
    ("entry_type", "string", ""),
    ("entry_action", "string", ""),
    ("entity_id", "string", "what the entry is about, parts joined with `/`"),
    ("attributes", "string", "JSON object; member names are the journal's own"),
    ("decode_error", "string", "why key or value could not be read; null: fine"),
    ("reading", "string", "form of the bytes the reading needed: raw | latin-1 | utf-8 | replaced"),
)

KEY_HISTORY = table(
    "lifelines",
    "record related to its key: narrow, each file sorted by topic, partition, replica, offset",
    *OF_REPLICA,
    ("offset", "bigint", ""),
    ("timestamp_ms", "bigint", ""),
    ("key_hash_1", "bigint", ""),
    ("key_hash_2", "bigint", ""),
    ("previous_offset", "bigint", "the record before it with the same key; null: the first"),
    ("superseded_by", "bigint", "the record after it with the same key; null: the last"),
    ("kind", "string", "create | update | tombstone | revive | control | restart"),
    ("entry_type", "string", ""),
    ("key_size_bytes", "int", ""),
    ("value_size_bytes", "int", ""),
)

MARKS = table(
    "marks",
    "record as its service treats it, each file sorted by offset: what a timeline draws; only of partitions that a service reads",
    *OF_REPLICA,
    ("offset", "bigint", ""),
    ("timestamp_ms", "bigint", ""),
    ("kind", "string", "create | update | delete | rejected | tombstone | control | restart"),
    ("entry_type", "string", ""),
    ("key_size_bytes", "int", ""),
    ("value_size_bytes", "int", ""),
    ("key_hash_1", "bigint", ""),
    ("key_hash_2", "bigint", ""),
)

KEYS = table(
    "keys",
    "distinct key of a partition",
    *OF_REPLICA,
    ("key_hash_1", "bigint", ""),
    ("key_hash_2", "bigint", ""),
    ("key", "binary", ""),
    ("entry_type", "string", "of its last record"),
    ("first_offset", "bigint", ""),
    ("last_offset", "bigint", ""),
    ("versions", "bigint", "records with this key"),
    ("tombstones", "bigint", "of which with a null value, those of restarts left out"),
    ("live_bytes", "bigint", "key and value of its last record; 0 when that is a tombstone"),
    ("dead_bytes", "bigint", "key and value of the records before, and of a last tombstone"),
)

REPLAY = (
    ("profile", "string", "whose rules: id of a profile of the dialect; empty: it has only one"),
    ("is_own", "boolean", "the rules of the service that the journal belongs to"),
    (
        "view",
        "string",
        "log: as it is | next: as the next cleaning leaves it | full: when tombstones have gone, too | start: the same "
        "after the next start of a service that writes tombstones then",
    ),
)

STATE = table(
    "state",
    "one version of one entity, as the real service replays the journal",
    *OF_REPLICA,
    *REPLAY,
    ("entity_type", "string", ""),
    ("entity_id", "string", ""),
    ("attributes", "string", "JSON object"),
    ("valid_from_offset", "bigint", "first offset after which it holds"),
    ("valid_to_offset", "bigint", "first offset after which it no longer holds; null: holds at the end"),
    ("origin_offset", "bigint", "record that set it"),
)

REJECTIONS = table(
    "refusals",
    "entry that the real service rejects at replay, and why",
    *OF_REPLICA,
    *REPLAY,
    ("offset", "bigint", ""),
    ("entity_type", "string", ""),
    ("entity_id", "string", ""),
    ("reason", "string", "id of the reason"),
    ("needs", "string", "entity it lacked"),
    ("available_from_offset", "bigint", "offset of the record that brings what it lacked; null: none does"),
)

OLDER_ENTITIES = table(
    "older_entities",
    "entity that the service held at the end of an older dump of the same journal, and each record that set a content there",
    *OF_REPLICA,
    ("dump", "string", "what the user calls the older dump"),
    ("dumped_at_ms", "bigint", "timestamp of its newest record; null: it has no timestamps"),
    ("entity_type", "string", ""),
    ("entity_id", "string", ""),
    ("attributes", "string", "JSON object"),
    ("origin_offset", "bigint", "record of the older dump that set it"),
)

OLDER_DELETIONS = table(
    "older_deletions",
    "entity that a record of an older dump of the same journal deletes",
    *OF_REPLICA,
    ("dump", "string", "what the user calls the older dump"),
    ("entity_type", "string", ""),
    ("entity_id", "string", ""),
    ("attributes", "string", "JSON object: what it was; null: the older dump does not have it"),
    (
        "origin_offset",
        "bigint",
        "record of the older dump that set it; null: the older dump does not have it",
    ),
    ("deleted_at_offset", "bigint", "record of the older dump that deletes it"),
)
