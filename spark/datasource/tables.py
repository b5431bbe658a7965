"""The tables that a user may load, by how their rows are made."""

from __future__ import annotations

from spark.tables import TABLES, Table
from spark.tables._schema import Column

# The bytes of a file give their rows: a task reads some files, or a range of one.
READ = (
    "records", "batches", "entries", "damage", "files", "index_entries", "aborted_txns", "producer_states",
    "epoch_entries", "checkpoints", "properties",
)  # fmt: skip
# They relate the records of a whole journal: one task inspects it.
INSPECTED = ("findings", "keys", "state", "gaps", "transactions")
# Each row has offsets of a log, so that a stream can tell which are new.
STREAMED = ("records", "entries", "batches")

FINDINGS = Table(
    "findings",
    "finding of the report; members of the same names in docs/report.md",
    tuple(
        Column(*column)
        for column in (
            ("id", "string", "fingerprint, the same in a later dump"),
            ("detector", "string", "id of the detector"),
            ("severity", "string", "critical | high | medium | low | info"),
            ("confidence", "string", "proven | likely"),
            ("title", "string", "one sentence"),
            ("explanation", "string", "what happened and how that is known"),
            ("topic", "string", ""),
            ("partition", "int", "null: of the whole topic or input"),
            ("replica", "string", "the best copy that shows it; empty for the only one"),
            ("first_offset", "bigint", ""),
            ("last_offset", "bigint", ""),
            ("key", "string", "key of the record"),
            ("entity", "string", "entity of the service"),
            ("evidence", "array<bigint>", "offsets of the records that prove it, in that order"),
            ("remedy", "string", "what to do, in steps"),
            ("consequence_of", "string", "id of the finding that caused it; null: a root"),
            ("incident", "string", "id of the incident that it belongs to; null for notes"),
        )
    ),
)
LOADED = {name: FINDINGS if name == FINDINGS.name else TABLES[name] for name in READ + INSPECTED}
