"""Which rows a share contains: all, those of some partitions, or those that belong to some records."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

KEPT = pa.schema(
    [("topic", pa.string()), ("partition", pa.int32()), ("replica", pa.string()), ("offset", pa.int64())]
)
BY_RECORD = frozenset({"records", "entries", "lifelines", "marks", "refusals", "keys", "batches", "files"})
LOG = frozenset(
    {
        "batches",
        "gaps",
        "epochs",
        "formats",
        "transactions",
        "cleanings",
        "index_entries",
        "fetch_faults",
        "epoch_entries",
        "aborted_txns",
        "producer_states",
        "checkpoints",
        "damage",
        "runs",
        "files",
    }
)


@dataclass(frozen=True)
class Selection:
    """`replicas`: None for everything; else the partitions, and `tables` are the tables that include rows of them.

    `records` (rows of KEPT) narrows those to what belongs to some records; None: every row of the partitions.
    `findings`: the ids that are shown; None: all. `sentence` replaces the verdict, which covers everything.
    """

    replicas: tuple[tuple[str, int, str], ...] | None = None
    records: pa.Table | None = None
    tables: frozenset[str] = field(default_factory=frozenset)
    findings: frozenset[str] | None = None
    sentence: str = ""
    level: str = "info"
    is_log_told: bool = False  # advice on formats, what ran and found nothing

    @property
    def is_narrowed(self) -> bool:
        """Whether the share contains only a part."""
        return self.replicas is not None

    def condition(self, table: str) -> str | None:
        """SQL on the rows of `t`; None: the table is left out."""
        if self.replicas is None:
            return "true"
        if table not in self.tables:
            return None
        return _OF_RECORDS.get(table, _OF_PLACES) if self.records is not None else _OF_PLACES


_AT = "kept.topic = t.topic AND kept.partition = t.partition AND kept.replica = t.replica"
_OF_PLACES = f"EXISTS (SELECT 1 FROM kept_places AS kept WHERE {_AT})"
_IN_KEPT = (
    '(t.topic, t.partition, t.replica, t.{column}) IN (SELECT topic, partition, replica, "offset" FROM kept)'
)
_BETWEEN = "EXISTS (SELECT 1 FROM {rows} AS kept WHERE " + _AT + " AND {matches})"
_OF_RECORDS = {
    **dict.fromkeys(
        ("records", "entries", "lifelines", "marks", "refusals"), _IN_KEPT.format(column='"offset"')
    ),
    "state": f"({_IN_KEPT.format(column='origin_offset')} OR {_IN_KEPT.format(column='valid_from_offset')})",
    "batches": _BETWEEN.format(rows="kept", matches='kept."offset" BETWEEN t.base_offset AND t.last_offset'),
    "keys": "true",  # made anew from the lifelines that are kept
    "files": 't."file" IN (SELECT "file" FROM kept_files)',
    "gaps": _BETWEEN.format(
        rows="spans", matches="t.first_offset <= kept.last AND t.last_offset >= kept.first"
    ),
    "transactions": _BETWEEN.format(
        rows="spans",
        matches="coalesce(t.first_offset, t.marker_offset) <= kept.last "
        "AND coalesce(t.marker_offset, t.last_offset) >= kept.first",
    ),
}


@dataclass(frozen=True)
class ProofOfAll(Selection):
    """Everything in the report, and of the records those that prove it."""

    @property
    def is_narrowed(self) -> bool:
        """The report is shown as a whole."""
        return False

    def condition(self, table: str) -> str | None:
        """Every input file is listed, whether or not a record of it is included."""
        return "true" if table == "files" else super().condition(table)
