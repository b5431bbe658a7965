"""Table of what Kafka's tools printed of the cluster, as far as it is no setting (those are `properties`)."""

from __future__ import annotations

from spark.tables._schema import table

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
    ("producer_id", "bigint", ""),
    ("producer_epoch", "int", ""),
    ("timestamp_ms", "bigint", "cleaned: when, as if the log's clock were UTC; hanging: last write"),
)
