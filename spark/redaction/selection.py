"""Which rows a share holds: all of them, those of some partitions, or those that belong to some records."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

KEPT = pa.schema(
    [("topic", pa.string()), ("partition", pa.int32()), ("replica", pa.string()), ("offset", pa.int64())]
)
BY_RECORD = frozenset({"records", "entries", "lifelines", "marks", "refusals", "keys", "batches", "files"})
LOG = frozenset(
    {"batches", "gaps", "epochs", "formats", "transactions", "cleanings", "index_entries", "epoch_entries",
     "aborted_txns", "producer_states", "checkpoints", "damage", "runs", "files"}
)  # fmt: skip


@dataclass(frozen=True)
class Selection:
    """`replicas` is None for everything; else the partitions, and of them the `tables` that come along.

    `records` (rows of KEPT) narrows those to what belongs to some records; None: every row of the partitions.
    `findings`: ids that are told; None: all. `sentence` stands where the verdict on everything would.
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
        """Whether the share holds a part only."""
        return self.replicas is not None

    def condition(self, table: str) -> str | None:
        """SQL on the rows of `t`; None: the table does not come along."""
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
_BETWEEN = "EXISTS (SELECT 1 FROM {rows} AS kept WHERE " + _AT + " AND {fits})"
_OF_RECORDS = {
    **dict.fromkeys(
        ("records", "entries", "lifelines", "marks", "refusals"), _IN_KEPT.format(column='"offset"')
    ),
    "state": f"({_IN_KEPT.format(column='origin_offset')} OR {_IN_KEPT.format(column='valid_from_offset')})",
    "batches": _BETWEEN.format(rows="kept", fits='kept."offset" BETWEEN t.base_offset AND t.last_offset'),
    "keys": "true",  # made anew from the lifelines that are kept
    "files": 't."file" IN (SELECT "file" FROM kept_files)',
    "gaps": _BETWEEN.format(rows="spans", fits="t.first_offset <= kept.last AND t.last_offset >= kept.first"),
    "transactions": _BETWEEN.format(
        rows="spans",
        fits="coalesce(t.first_offset, t.marker_offset) <= kept.last "
        "AND coalesce(t.marker_offset, t.last_offset) >= kept.first",
    ),
}


@dataclass(frozen=True)
class ProofOfAll(Selection):
    """Everything that is told, and of the records those that prove it."""

    @property
    def is_narrowed(self) -> bool:
        """The report is told whole."""
        return False

    def condition(self, table: str) -> str | None:
        """Every input file is told, whether or not a record of it is."""
        return "true" if table == "files" else super().condition(table)
