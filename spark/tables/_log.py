"""Tables of the log's structure: gaps, epochs, formats, transactions, what the cleaner sees."""

from __future__ import annotations

from spark.tables._schema import OF_FILE, OF_REPLICA, table

GAPS = table(
    "gaps",
    "range of offsets that no readable record or batch covers",
    *OF_REPLICA,
    ("first_offset", "bigint", ""),
    ("last_offset", "bigint", ""),
    (
        "cause",
        "string",
        "damage | compaction | likely compaction | retention | capture limit | control | aborted (the last two: left out by the file format) | unknown | unexplained",
    ),
    ("proof", "string", "one sentence"),
)

FETCH_FAULTS = table(
    "fetch_faults",
    "range of offsets at which a broker's fetch fails or skips readable records, in a segment that is damaged or whose index is",
    *OF_FILE,
    ("first_offset", "bigint", ""),
    ("last_offset", "bigint", ""),
    ("search_position", "bigint", "position in the segment at which the search starts, by the index"),
    (
        "answer",
        "string",
        "skips (the records from continues_at on) | corrupt (bytes that are no intact batch) | error (CORRUPT_MESSAGE) | nothing",
    ),
    ("continues_at", "bigint", "first offset in the answer; null unless it skips"),
    ("records_skipped", "bigint", "readable records that a fetch at first_offset skips"),
)

EPOCHS = table(
    "epochs",
    "leader epoch of a partition's copy, from its batches and from its checkpoint side by side",
    *OF_REPLICA,
    ("epoch", "int", "leader epoch; batches without one (-1) have no row"),
    ("first_offset", "bigint", "base offset of its first batch; null: no batch contains it"),
    ("last_offset", "bigint", "last offset of its last batch; null: no batch contains it"),
    ("batches", "bigint", ""),
    ("first_timestamp_ms", "bigint", "greatest timestamp of its first batch"),
    (
        "checkpoint_offset",
        "bigint",
        "start in the leader-epoch-checkpoint; null: not in it, or there is no such file",
    ),
)

FORMATS = table(
    "formats",
    "offset range of one message format in a replica, in order of offsets",
    *OF_REPLICA,
    ("number", "int", "0, 1, ... along the log"),
    ("magic", "tinyint", "0 | 1 | 2"),
    ("first_offset", "bigint", ""),
    ("last_offset", "bigint", ""),
    ("batches", "bigint", "batches, or messages on the outer level in formats 0 and 1"),
    ("first_timestamp_ms", "bigint", "null: format 0 contains none"),
    ("last_timestamp_ms", "bigint", ""),
    ("first_leader_epoch", "int", "-1: none"),
    ("last_leader_epoch", "int", "-1: none"),
)

TRANSACTIONS = table(
    "transactions",
    "transaction of one producer in a partition's copy: what it wrote up to the marker",
    *OF_REPLICA,
    ("producer_id", "bigint", ""),
    ("producer_epoch", "smallint", "of its data; of its marker where no data is left"),
    ("first_offset", "bigint", "of its data left; null: only the marker is there"),
    ("last_offset", "bigint", "of its data left"),
    ("records", "bigint", "data records left"),
    ("first_timestamp_ms", "bigint", "of its data left"),
    ("last_timestamp_ms", "bigint", "of its data left"),
    ("marker_offset", "bigint", "of its COMMIT or ABORT; null: there is none"),
    ("marker_timestamp_ms", "bigint", ""),
    ("marker_epoch", "smallint", "producer epoch of the marker"),
    ("coordinator_epoch", "int", "of the marker"),
    (
        "outcome",
        "string",
        "committed | aborted | open (no marker, it may come yet) | marker_missing (was ended, the marker is gone)",
    ),
    ("ended_as", "string", "for marker_missing: committed | aborted | unknown; else null"),
    ("is_indexed", "boolean", "aborted: a .txnindex entry names it; null: no .txnindex in the input"),
    (
        "first_stable_offset",
        "bigint",
        "of the partition's copy while this one was the oldest open: null unless open",
    ),
)

CLEANINGS = table(
    "cleanings",
    "partition's copy as the log cleaner sees it",
    *OF_REPLICA,
    ("compacted", "string", "proven | likely | no: whether the cleaner works on it, and how that is known"),
    ("why", "string", "what shows it, one sentence"),
    ("first_dirty_offset", "bigint", "end of the clean section; null: unknown"),
    ("dirty_from", "string", "checkpoint | batches | keys: source of the first dirty offset; null: unknown"),
    (
        "active_offset",
        "bigint",
        "base of the active (newest) segment, which is never cleaned; null: one file or an export",
    ),
    ("first_uncleanable_offset", "bigint", "the next cleaning ends before it"),
    (
        "stopped_by",
        "string",
        "what the next cleaning stops at: active segment | open transaction | end of the log",
    ),
    ("clean_bytes", "bigint", "bytes of segments below the first dirty offset"),
    ("cleanable_bytes", "bigint", "bytes of closed segments from it on"),
    ("removed_records", "bigint", "records the next cleaning removes"),
    (
        "removed_when_compacted",
        "bigint",
        "records that go when everything is compacted and every horizon is over",
    ),
)
