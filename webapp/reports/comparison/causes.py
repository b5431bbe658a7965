"""Why entities differ: by their records and by each other, else by the incidents of both reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from spark.terms.entity_words import owners, type_before_id
from spark.terms.wording import moment
from webapp.journals.models import Inspection
from webapp.reports.comparison.sides import ComparedSide, SidePair
from webapp.reports.results import ResultsGone, open_results
from webapp.reports.values.attributes import members_of

WHY = {
    "lost": "No record of {after} deletes it.",
    "reappeared": "{before} contains a record that deletes it, {after} does not apply one.",
    "deleted": "A record of {after} deletes it.",
}
SEQUENCE = "sequence"  # an entity of Apicurio Registry that ids are drawn from
EFFECTS = {"lost": {"lost", "unreadable"}, "reappeared": {"revived"}, "changed": {"changed", "misread"}}


@dataclass(frozen=True)
class Reason:
    """Why an entity differs. `url`: address of the finding that proves it."""

    text: str
    url: str = ""


Reasons = dict[tuple[str, str, str], Reason]


@dataclass(frozen=True)
class Causes:
    """Why entities differ: by their records and by each other, else by the incidents of both reports."""

    rows: list[dict[str, Any]]
    pair: SidePair
    incidents: list[Reasons]
    lost_contents: dict[str, str]  # by hash, the id
    ranges: list[dict[str, Any]]  # of records of Before that After lacks

    @classmethod
    def of(cls, rows: list[dict[str, Any]], pair: SidePair, ranges: Iterable[dict[str, Any]] = ()) -> Causes:
        lost = [row for row in rows if row["kind"] == "lost" and row["entity_type"] == "content"]
        incidents = (
            [_reasons(pair.after), _reasons(pair.before, f"{pair.before.name} reports: ")] if rows else []
        )
        contents = {name: row["entity_id"] for row in lost if (name := _hash_in(row))}
        return cls(
            rows, pair, incidents, contents, [row for row in ranges if row["kind"] == pair.before.side]
        )

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
        if row["kind"] == "changed":
            return self._of_sequence(row) if row["entity_type"] == SEQUENCE else self._of_change(row)
        if row["kind"] != "lost":
            return ""
        if row.get("bytes_offset") not in (None, row["before_offset"]):
            return f"Offset {row['before_offset']} supersedes it and has no content."
        if row["entity_type"] == "content":
            return ""
        if needed := self.lost_contents.get(_hash_in(row)):
            return f"Needs content {needed}."
        return self._of_version(f"{row['entity_id']}/") if row["entity_type"] == "artifact" else ""

    def _of_change(self, row: dict[str, Any]) -> str:
        """Another record applies: one that only After has, or one that Before rejects while it has the older record."""
        before, after = row["before_offset"], row["after_offset"]
        if None in (before, after) or before == after:
            return ""
        if after > self.pair.before.end_offset:
            return f"Changed at offset {after}."
        if before < after and any(
            each["first_offset"] <= before <= each["last_offset"] for each in self.ranges
        ):
            return f"Compaction removed offset {before}. The service now applies offset {after}."
        return ""

    def _of_sequence(self, row: dict[str, Any]) -> str:
        """The highest id in use belonged to a lost entity; what the sequence draws next decides whether an id is given out twice."""
        before, after = members_of(row.get("before")), members_of(row.get("after"))
        highest, value = before.get("highest"), after.get("value")
        if (
            not isinstance(highest, int)
            or not isinstance(value, int)
            or after.get("highest", highest) >= highest
        ):
            return ""
        name = row["entity_id"].rpartition("/")[2]
        lost = (each for each in self.rows if each["kind"] == "lost" and _id_in(each, name) == highest)
        owner = next(
            (f", of the lost {type_before_id(each['entity_type'])} {each['entity_id']}" for each in lost), ""
        )
        again = (
            f"The sequence itself stays at {value}, so the registry does not give out ID {highest} again."
            if value >= highest
            else f"The sequence is at {value}: the registry gives out the IDs up to {highest} again."
        )
        return f"The highest ID in use was {highest}{owner}. {again}"

    def _of_version(self, prefix: str) -> str:
        """`Version 1 needs content 48.` of an artifact's first lost version."""
        versions = (row for row in self.rows if row["kind"] == "lost" and row["entity_type"] == "version")
        for row in versions:
            needed = self.lost_contents.get(_hash_in(row))
            if needed and row["entity_id"].startswith(prefix):
                return f"Version {row['entity_id'].removeprefix(prefix)} needs content {needed}."
        return ""


def _hash_in(row: dict[str, Any]) -> str:
    return str(members_of(row.get("before")).get("contentHash") or "")


def _id_in(row: dict[str, Any], sequence: str) -> int | None:
    """The id that an entity has of a sequence; a content item is named by its own."""
    if row["entity_type"] == "content" and sequence == "contentId" and row["entity_id"].isdecimal():
        return int(row["entity_id"])
    number = members_of(row.get("before")).get(sequence)
    return number if isinstance(number, int) else None


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


def _reasons(side: ComparedSide, begin: str = "") -> Reasons:
    """Incidents of a report by consequence, type and id of their victims. `begin`: what the sentences begin with."""
    overview = reverse("report-overview", args=[side.inspection.pk])
    return {
        (kind, victim["entity_type"], victim["entity_id"]): Reason(
            begin + title, f"{overview}?finding={victim['finding']}#finding-{victim['finding']}"
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
