"""Format upgrade: the message format went up, in one step or two, and never back. Normal, worth knowing.

Page: docs/detectors/format-upgrade.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.advice.clients import old_batches
from spark.advice.format_history import FormatHistory
from spark.detectors import Detector, clause, located
from spark.detectors.log import _formats as formats
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import listed


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per log that only ever went up."""
    return [formats.row(history) for history in formats.logs(tables) if history.is_upgrade]


def describe(row: Row) -> Finding:
    history: FormatHistory = row["history"]
    newer = history.ranges[1:]
    up = [
        f"{marked.number(format_range.magic)} at offset {marked.offset(format_range.first_offset)}"
        for format_range in newer
    ]
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"{history.name} was upgraded from message format {marked.number(history.ranges[0].magic)} to {listed(up)}",
        explanation=f"{formats.switches(history)}\n{' '.join(old_batches())} This is normal.",
        **located(row, newer[0].first_offset, newer[-1].first_offset),
        evidence=formats.borders(history),
        entity=formats.ENTITY,
        entities={formats.ENTITY},
        remedy=detector.remedy(),
        references=detector.references,
    )


detector = Detector(
    id="format-upgrade",
    title="Message format upgraded",
    find=find,
    describe=describe,
    headline=clause("the message format of {count} was upgraded", "partition"),
    rows_of="formats",
    needs=frozenset({"batches"}),
    absent=formats.absent,
    wants="segments",
)
