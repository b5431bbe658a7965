"""Tables of what companion files say, as on disk."""

from __future__ import annotations

from spark.tables._schema import PLACE, table

EPOCH_ENTRIES = table(
    "epoch_entries",
    "line of a leader-epoch-checkpoint",
    *PLACE,
    ("epoch", "int", "leader epoch"),
    ("start_offset", "bigint", "its first offset, as the file says"),
)

ABORTED_TXNS = table(
    "aborted_txns",
    "entry of a .txnindex",
    *PLACE,
    ("base_offset", "bigint", "offset in the index's file name: that of its segment"),
    ("producer_id", "bigint", ""),
    ("first_offset", "bigint", "of the transaction"),
    ("last_offset", "bigint", "of the transaction: that of its ABORT marker"),
    ("last_stable_offset", "bigint", "when the marker was written"),
)

PRODUCER_STATES = table(
    "producer_states",
    "producer in a .snapshot",
    *PLACE,
    ("snapshot_offset", "bigint", "offset in the file's name: the state holds before it"),
    ("producer_id", "bigint", ""),
    ("producer_epoch", "smallint", ""),
    ("last_sequence", "int", "of its last batch; -1: none"),
    ("last_offset", "bigint", "of its last batch; -1: none"),
    ("offset_delta", "int", "offsets of its last batch, less one"),
    ("timestamp_ms", "bigint", "of its last batch"),
    ("coordinator_epoch", "int", "of its last marker; -1: none"),
    ("current_txn_first_offset", "bigint", "of the open transaction; null: none is open"),
)

CHECKPOINTS = table(
    "checkpoints",
    "line of a broker's checkpoint file: an offset of one partition",
    *PLACE,
    (
        "kind",
        "string",
        "cleaner (first dirty offset) | recovery_point | replication (high watermark) | log_start",
    ),
    ("offset", "bigint", ""),
)

PROPERTIES = table(
    "properties",
    "property in a meta.properties, partition.metadata or backup; or a whole file of schemas",
    *PLACE,
    ("name", "string", "broker.id, node.id, cluster.id, topic_id, ...; of a file of schemas its own name"),
    ("value", "string", "descriptors of Protobuf as base64"),
)
