"""Entities that differ, grouped by consequence, the worst first: what each side has of them, and why by the reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from spark.terms.entity_words import owners, type_words
from spark.terms.wording import moment
from webapp.journals.models import Inspection
from webapp.reports.comparison.sides import ComparedSide, SidePair
from webapp.reports.comparison.states import StatesShown
from webapp.reports.results import ResultsGone, open_results
from webapp.reports.values.attributes import MemberChange, changes, line_without_hashes, members_of

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
WHY = {
    "lost": "No record of {after} deletes it.",
    "reappeared": "{before} contains a record that deletes it, {after} does not apply one.",
    "deleted": "A record of {after} deletes it.",
}
REJECTED = "rejected"  # After contains a record of the entity, which the service does not apply
EFFECTS = {"lost": {"lost", "unreadable"}, "reappeared": {"revived"}, "changed": {"changed", "misread"}}


@dataclass(frozen=True)
class Reason:
    """Why an entity differs. `url`: address of the finding that proves it."""

    text: str
    url: str = ""


Reasons = dict[tuple[str, str, str], Reason]


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
    def left_out(self) -> int:
        return self.count - len(self.rows)


def kind_counts(states: StatesShown) -> list[KindCount]:
    """Consequences with at least one entity, the worst first."""
    return [
        KindCount(kind, *look, count) for kind, look in LOOKS.items() if (count := states.counts.get(kind, 0))
    ]


def groups(states: StatesShown, pair: SidePair, kind: str = "") -> list[EntityGroup]:
    """The groups that have entities, the worst first; with `kind`, that one alone, unfolded."""
    causes = _Causes.of(states.rows, pair)
    return [
        _group(counted, states, pair, causes, counted.kind == kind)
        for counted in kind_counts(states)
        if kind in ("", counted.kind)
    ]


def every_entity(rows: Iterable[dict[str, Any]], pair: SidePair) -> Iterator[tuple[str, EntityRow]]:
    """(consequence, row) of each entity that differs, for exports."""
    causes = _Causes.of(list(rows), pair)
    for row in causes.rows:
        yield LOOKS[row["kind"]][0], _row(row, pair, causes)


def _group(
    counted: KindCount, states: StatesShown, pair: SidePair, causes: _Causes, is_selected: bool
) -> EntityGroup:
    rows = [row for row in states.rows if row["kind"] == counted.kind][:ROWS_SHOWN]
    is_folded = counted.kind in FOLDED and not is_selected
    return EntityGroup(**vars(counted), rows=[_row(row, pair, causes) for row in rows], is_folded=is_folded)


def stored_offset(row: dict[str, Any]) -> int | None:
    """The record of Before that has what the entity is: its bytes, where its newest record has none."""
    bytes_offset = row.get("bytes_offset")
    return row["before_offset"] if bytes_offset is None else bytes_offset


def _row(row: dict[str, Any], pair: SidePair, causes: _Causes) -> EntityRow:
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
        type_words(entity_type),
        entity_id,
        shown_on.entity_url(entity_type, entity_id),
        "deleted" if kind == "reappeared" else line_without_hashes(before, entity_id),
        stored_offset(row),
        pair.before.record_url(stored_offset(row)),
        REJECTED if is_rejected else MISSING.get(kind) or line_without_hashes(after, entity_id),
        after_offset,
        pair.after.record_url(after_offset),
        changes(before, after) if kind == "changed" else [],
        causes.reason(row),
    )


@dataclass(frozen=True)
class _Causes:
    """Why entities differ: by their records and by each other, else by the incidents of both reports."""

    rows: list[dict[str, Any]]
    pair: SidePair
    incidents: list[Reasons]
    lost_contents: dict[str, str]  # by hash, the id

    @classmethod
    def of(cls, rows: list[dict[str, Any]], pair: SidePair) -> _Causes:
        lost = [row for row in rows if row["kind"] == "lost" and row["entity_type"] == "content"]
        incidents = [_reasons(pair.after), _reasons(pair.before)] if rows else []
        return cls(rows, pair, incidents, {name: row["entity_id"] for row in lost if (name := _hash_in(row))})

    def reason(self, row: dict[str, Any]) -> Reason | None:
        kind, entity_type, entity_id = row["kind"], row["entity_type"], row["entity_id"]
        reasons = (_reason(kind, entity_type, entity_id, of_side) for of_side in self.incidents)
        incident = next(filter(None, reasons), None)
        if words := self._of_records(row):
            return Reason(words, incident.url if incident else "")
        return incident or _plain_reason(kind, self.pair)

    def _of_records(self, row: dict[str, Any]) -> str:
        if row["kind"] == "deleted" and row.get("deleted_offset") is not None:
            when = row.get("deleted_ms")
            at = f", {moment(when)}" if when and when > 0 else ""
            return f"Deleted at offset {row['deleted_offset']}{at}."
        if row["kind"] != "lost":
            return ""
        if row.get("bytes_offset") not in (None, row["before_offset"]):
            return f"Offset {row['before_offset']} supersedes it and has no content."
        if row["entity_type"] == "content":
            return ""
        if needed := self.lost_contents.get(_hash_in(row)):
            return f"Needs content item {needed}."
        return self._of_version(f"{row['entity_id']}/") if row["entity_type"] == "artifact" else ""

    def _of_version(self, prefix: str) -> str:
        """`Version 1 needs content item 48.` of an artifact's first lost version."""
        versions = (row for row in self.rows if row["kind"] == "lost" and row["entity_type"] == "version")
        for row in versions:
            needed = self.lost_contents.get(_hash_in(row))
            if needed and row["entity_id"].startswith(prefix):
                return f"Version {row['entity_id'].removeprefix(prefix)} needs content item {needed}."
        return ""


def _hash_in(row: dict[str, Any]) -> str:
    return str(members_of(row.get("before")).get("contentHash") or "")


def _plain_reason(kind: str, pair: SidePair) -> Reason | None:
    text = WHY.get(kind)
    return Reason(text.format(before=pair.before.name, after=pair.after.name)) if text else None


def _reason(kind: str, entity_type: str, entity_id: str, reasons: Reasons) -> Reason | None:
    """The reason of the entity itself, else of an entity that belongs to it, else of one that owns it."""
    of_kind = {
        (victim_type, name): reason
        for (reason_kind, victim_type, name), reason in reasons.items()
        if reason_kind == kind
    }
    exact = of_kind.get((entity_type, entity_id))
    below = (reason for (_, name), reason in of_kind.items() if name.startswith(f"{entity_id}/"))
    above = (reason for (_, name), reason in of_kind.items() if name in owners(entity_id))
    return exact or next(below, None) or next(above, None)


def _reasons(side: ComparedSide) -> Reasons:
    """Incidents of a report by consequence, type and id of their victims."""
    overview = reverse("report-overview", args=[side.inspection.pk])
    return {
        (kind, victim["entity_type"], victim["entity_id"]): Reason(
            title, f"{overview}?finding={victim['finding']}#finding-{victim['finding']}"
        )
        for kind, victim, title in _victims(side.inspection)
    }


def _victims(inspection: Inspection) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Kind, victim, and the title of its incident; nothing where the report no longer exists."""
    try:
        with open_results(inspection.results) as results:
            incidents = results.document.get("incidents", [])
    except ResultsGone:
        return
    for incident in incidents:
        for victim in incident.get("victims", []):
            for kind, effects in EFFECTS.items():
                if victim["kind"] in effects:
                    yield kind, victim, incident["title"]
