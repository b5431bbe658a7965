"""Entities that differ, grouped by consequence, the worst first: what each side has of them, and why by the reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from spark.terms.entity_words import type_before_id
from webapp.reports.comparison.causes import SEQUENCE, Causes, Reason
from webapp.reports.comparison.sides import SidePair
from webapp.reports.comparison.states import StatesShown
from webapp.reports.values.attributes import MemberChange, changes, line_without_hashes

ROWS_SHOWN = 200
LOOKS = {  # of a kind: heading, tone of its mark; the worst first
    "lost": ("Lost", "critical"),
    "reappeared": ("Reappeared", "high"),
    "changed": ("Changed", "medium"),
    "deleted": ("Deleted", "low"),
    "new": ("New", "info"),
}
FOLDED = {"deleted", "new"}
MISSING = {"lost": "missing", "deleted": "deleted"}
IN_USE = {"highest": "highest ID in use"}  # of a sequence, beside what it drew last
REJECTED = "rejected"  # After contains a record of the entity, which the service does not apply


@dataclass(frozen=True)
class EntityRow:
    """An entity with what each side has of it: words, and the record they are from. Of a content whose newest record of Before
    has no bytes, Before's record is the one that has them."""

    type_words: str
    entity_id: str
    url: str
    before: str
    before_offset: int | None
    before_url: str
    after: str
    after_offset: int | None
    after_url: str
    changes: list[MemberChange]
    reason: Reason | None


@dataclass(frozen=True)
class KindCount:
    """Number of entities with one consequence."""

    kind: str
    title: str
    tone: str
    count: int


@dataclass(frozen=True)
class EntityGroup(KindCount):
    """Entities with one consequence. `count` includes entities that are not listed."""

    rows: list[EntityRow]
    is_folded: bool

    @property
    def shared_reason(self) -> Reason | None:
        """The reason that several entities have in common."""
        reasons = {row.reason for row in self.rows}
        return reasons.pop() if len(self.rows) > 1 and len(reasons) == 1 else None

    @property
    def left_out(self) -> int:
        return self.count - len(self.rows)


def kind_counts(states: StatesShown) -> list[KindCount]:
    """Consequences with at least one entity, the worst first."""
    return [
        KindCount(kind, *look, count) for kind, look in LOOKS.items() if (count := states.counts.get(kind, 0))
    ]


def groups(
    states: StatesShown, pair: SidePair, kind: str = "", ranges: Iterable[dict[str, Any]] = ()
) -> list[EntityGroup]:
    """The groups that have entities, the worst first; with `kind`, that one alone, unfolded. `ranges`: those of the comparison."""
    causes = Causes.of(states.rows, pair, ranges)
    return [
        _group(counted, states, pair, causes, counted.kind == kind)
        for counted in kind_counts(states)
        if kind in ("", counted.kind)
    ]


def every_entity(
    rows: Iterable[dict[str, Any]], pair: SidePair, ranges: Iterable[dict[str, Any]] = ()
) -> Iterator[tuple[str, EntityRow]]:
    """(consequence, row) of each entity that differs, for exports."""
    causes = Causes.of(list(rows), pair, ranges)
    for row in causes.rows:
        yield LOOKS[row["kind"]][0], _row(row, pair, causes)


def _group(
    counted: KindCount, states: StatesShown, pair: SidePair, causes: Causes, is_selected: bool
) -> EntityGroup:
    rows = [row for row in states.rows if row["kind"] == counted.kind][:ROWS_SHOWN]
    is_folded = counted.kind in FOLDED and not is_selected
    return EntityGroup(**vars(counted), rows=[_row(row, pair, causes) for row in rows], is_folded=is_folded)


def stored_offset(row: dict[str, Any]) -> int | None:
    """The record of Before that has what the entity is: its bytes, where its newest record has none."""
    bytes_offset = row.get("bytes_offset")
    return row["before_offset"] if bytes_offset is None else bytes_offset


def _row(row: dict[str, Any], pair: SidePair, causes: Causes) -> EntityRow:
    kind, entity_type, entity_id = row["kind"], row["entity_type"], row["entity_id"]
    before, after = row.get("before"), row.get("after")
    shown_on = pair.before if row["after_offset"] is None else pair.after
    after_offset = next(
        (
            row[name]
            for name in ("after_offset", "deleted_offset", "rejected_offset")
            if row.get(name) is not None
        ),
        None,
    )
    is_rejected = kind == "lost" and after_offset is not None
    return EntityRow(
        type_before_id(entity_type),
        entity_id,
        shown_on.entity_url(entity_type, entity_id),
        "deleted" if kind == "reappeared" else line_without_hashes(before, entity_id),
        stored_offset(row),
        pair.before.record_url(stored_offset(row)),
        REJECTED if is_rejected else MISSING.get(kind) or line_without_hashes(after, entity_id),
        after_offset,
        pair.after.record_url(after_offset),
        _changes(row) if kind == "changed" else [],
        causes.reason(row),
    )


def _changes(row: dict[str, Any]) -> list[MemberChange]:
    """Of a sequence, the IDs in use are no part of what it drew, so they are named as what they are."""
    names = IN_USE if row["entity_type"] == SEQUENCE else {}
    return [
        replace(change, name=names.get(change.name, change.name))
        for change in changes(row.get("before"), row.get("after"))
    ]
