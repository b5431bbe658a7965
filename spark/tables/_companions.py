"""Tables of what stands beside a log: companion files as on disk, manifests of captures (the partition on its broker, and what
the cluster knew at that moment), prints of Kafka's tools as far as they are no settings (those are `properties`)."""

from __future__ import annotations

from spark.tables._schema import OF_FILE, table

EPOCH_ENTRIES = table(
    "epoch_entries",
    "line of a leader-epoch-checkpoint",
    *OF_FILE,
    ("epoch", "int", "leader epoch"),
    ("start_offset", "bigint", "its first offset, as the file says"),
)

ABORTED_TXNS = table(
    "aborted_txns",
    "entry of a .txnindex",
    *OF_FILE,
    ("base_offset", "bigint", "offset in the index's file name: that of its segment"),
    ("producer_id", "bigint", ""),
    ("first_offset", "bigint", "of the transaction"),
    ("last_offset", "bigint", "of the transaction: that of its ABORT marker"),
    ("last_stable_offset", "bigint", "when the marker was written"),
)

PRODUCER_STATES = table(
    "producer_states",
    "producer in a .snapshot",
    *OF_FILE,
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
    *OF_FILE,
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
    *OF_FILE,
    ("name", "string", "broker.id, node.id, cluster.id, topic_id, ...; of a file of schemas its own name"),
    ("value", "string", "descriptors of Protobuf as base64"),
)

CAPTURES = table(
    "captures",
    "partition in the manifest of a capture",
    *OF_FILE,
    ("cluster", "string", "name or id of the cluster"),
    ("captured_by", "string", ""),
    ("captured_at_ms", "bigint", "when the capture ended: now, for what is still open then"),
    ("cleanup_policy", "string", "of the topic; null: not asked"),
    ("leader", "int", "node id"),
    ("release", "string", "of the leader, as its ApiVersions tell it, such as `2.8 to 3.0`"),
    ("inter_broker_protocol_version", "string", "of the leader"),
    ("message_format_version", "string", "that holds for the topic"),
    ("is_topics_format", "boolean", "true: set on the topic itself; false: the broker's"),
    ("max_transaction_ms", "bigint", "transaction.max.timeout.ms of the leader; null: not asked"),
    ("log_start_offset", "bigint", "first offset that the broker still had when the capture ended"),
    ("high_watermark", "bigint", "when the capture ended"),
    ("last_stable_offset", "bigint", "when the capture ended"),
    ("asked_first_offset", "bigint", "first offset asked for"),
    ("asked_end_offset", "bigint", "the one behind the last asked for"),
    ("first_offset", "bigint", "base offset of the first batch got; null: none"),
    ("next_offset", "bigint", "the capture asked for every offset before it; null: none was got"),
    (
        "stopped_by",
        "string",
        "limit | cancelled | paused | broker-gone | topic-deleted | topic-recreated | truncated | broker-error; null: it reached its end",
    ),
    ("fetch_version", "int", "version of the Fetch requests"),
    (
        "is_converted",
        "boolean",
        "the broker converted batches to an older format: that on its disk is unknown",
    ),
    ("knows_producers", "boolean", "the broker listed its producers (DescribeProducers)"),
    ("knows_transactions", "boolean", "the coordinators listed their transactions (ListTransactions)"),
    (
        "aborts_first_offset",
        "bigint",
        "from here on the broker named every aborted transaction; null: not asked",
    ),
    ("aborts_end_offset", "bigint", "up to before here"),
    ("events", "array<string>", "what happened meanwhile, a sentence each"),
    ("not_asked", "array<string>", "what the cluster could not be asked, a sentence each"),
)

CAPTURED_PRODUCERS = table(
    "captured_producers",
    "producer that a broker knew of a partition when it was captured",
    *OF_FILE,
    ("producer_id", "bigint", ""),
    ("producer_epoch", "int", ""),
    ("last_sequence", "int", "of its last batch; -1: none"),
    ("last_timestamp_ms", "bigint", "of its last batch"),
    ("coordinator_epoch", "int", "of its last marker; -1: none"),
    ("current_txn_first_offset", "bigint", "of the open transaction; null: none is open"),
)

CAPTURED_TRANSACTIONS = table(
    "captured_transactions",
    "transactional id that a coordinator knew when a topic was captured",
    ("file", "int", "row of `files`: the manifest"),
    ("transactional_id", "string", ""),
    ("producer_id", "bigint", ""),
    ("producer_epoch", "int", ""),
    (
        "state",
        "string",
        "Empty | Ongoing | PrepareCommit | PrepareAbort | CompleteCommit | CompleteAbort | Dead",
    ),
    ("timeout_ms", "bigint", ""),
    ("started_at_ms", "bigint", "null: none is under way"),
    ("partitions", "array<string>", "`<topic>-<partition>` that it has not ended yet"),
)

CAPTURED_ABORTS = table(
    "captured_aborts",
    "aborted transaction as the broker names it to readers of committed data",
    *OF_FILE,
    ("producer_id", "bigint", ""),
    ("first_offset", "bigint", "of the transaction"),
)

PRINTED = table(
    "printed",
    "fact about a partition in the print of a Kafka tool that came with the journal; it holds for every copy",
    ("topic", "string", "empty: of no topic"),
    ("partition", "int", "null: of no partition"),
    ("file", "int", "row of `files`: the print"),
    ("kind", "string", "log_start | log_end | group | hanging | transaction | cleaned"),
    ("name", "string", "of the group, or the transactional id"),
    ("value", "string", "state of the transaction"),
    (
        "offset",
        "bigint",
        "log_start: the first one; log_end, cleaned: the one behind the last; group: the committed one; hanging: where it begins",
    ),
    ("end_offset", "bigint", "group: the end of the log as the same row has it; null: none"),
    ("is_active", "boolean", "group: the row names a member"),
    ("producer_id", "bigint", ""),
    ("producer_epoch", "int", ""),
    ("timestamp_ms", "bigint", "cleaned: when, as if the log's clock were UTC; hanging: last write"),
)
