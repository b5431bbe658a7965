"""Entities that differ, grouped by consequence, the worst first: what each side has of them, and why by the reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse

from spark.terms.entity_words import owners, type_words
from webapp.journals.models import Inspection
from webapp.reports.comparison.sides import ComparedSide, SidePair
from webapp.reports.comparison.states import StatesShown
from webapp.reports.results import ResultsGone, open_results
from webapp.reports.values.attributes import MemberChange, changes, line

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
EFFECTS = {"lost": {"lost", "unreadable"}, "reappeared": {"revived"}, "changed": {"changed", "misread"}}


@dataclass(frozen=True)
class Reason:
    """Why an entity differs. `url`: address of the finding that proves it."""

    text: str
    url: str = ""


Reasons = dict[tuple[str, str, str], Reason]


@dataclass(frozen=True)
class EntityRow:
    """An entity with what each side has of it: words, and the record they are from."""

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
    same_reason: int = 1  # rows from here on with this reason; 0 in all but the first of them


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
    reasons = [_reasons(pair.after), _reasons(pair.before)] if states.rows else []
    return [
        _group(counted, states, pair, reasons, counted.kind == kind)
        for counted in kind_counts(states)
        if kind in ("", counted.kind)
    ]


def every_entity(rows: Iterable[dict[str, Any]], pair: SidePair) -> Iterator[tuple[str, EntityRow]]:
    """(consequence, row) of each entity that differs, for exports."""
    reasons = [_reasons(pair.after), _reasons(pair.before)]
    for row in rows:
        yield LOOKS[row["kind"]][0], _row(row, pair, reasons)


def _group(
    counted: KindCount, states: StatesShown, pair: SidePair, reasons: list[Reasons], is_selected: bool
) -> EntityGroup:
    rows = [row for row in states.rows if row["kind"] == counted.kind][:ROWS_SHOWN]
    is_folded = counted.kind in FOLDED and not is_selected
    entities = _by_reason([_row(row, pair, reasons) for row in rows])
    return EntityGroup(**vars(counted), rows=entities, is_folded=is_folded)


def _by_reason(rows: list[EntityRow]) -> list[EntityRow]:
    """Rows of one reason follow each other, in the order in which the reasons come first."""
    by_reason: dict[str, list[EntityRow]] = {}
    for row in rows:
        by_reason.setdefault(row.reason.text if row.reason else "", []).append(row)
    return [
        replace(row, same_reason=len(same) if number == 0 else 0)
        for same in by_reason.values()
        for number, row in enumerate(same)
    ]


def _row(row: dict[str, Any], pair: SidePair, reasons: list[Reasons]) -> EntityRow:
    kind, entity_type, entity_id = row["kind"], row["entity_type"], row["entity_id"]
    before, after = row.get("before"), row.get("after")
    shown_on = pair.before if row["after_offset"] is None else pair.after
    return EntityRow(
        type_words(entity_type),
        entity_id,
        shown_on.entity_url(entity_type, entity_id),
        "deleted" if kind == "reappeared" else line(before, entity_id),
        row["before_offset"],
        pair.before.record_url(row["before_offset"]),
        MISSING.get(kind) or line(after, entity_id),
        row["after_offset"],
        pair.after.record_url(row["after_offset"]),
        changes(before, after) if kind == "changed" else [],
        next(
            filter(None, (_reason(kind, entity_type, entity_id, side_reasons) for side_reasons in reasons)),
            None,
        )
        or _plain_reason(kind, pair),
    )


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
