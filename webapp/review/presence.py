"""Created, still there, gone, back: what the newest inspection of a journal says of its findings.

Told from the sightings alone, so it comes out the same whenever and however often it is asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from uuid import UUID

from django.db import transaction

from webapp.journals.models import Inspection
from webapp.review.models import Change, Finding, Intake, Sighting
from webapp.review.states import Presence

AT_ONCE = 500


def inspections_of(lineage: UUID) -> list[UUID]:
    """Inspections whose findings are in the queue: those of the newest dump last, the newest of them at the end."""
    taken = Intake.objects.filter(inspection__journal__lineage=lineage)
    ordered = taken.order_by("inspection__journal__created_at", "inspection__created_at", "inspection_id")
    return list(ordered.values_list("inspection_id", flat=True))


@transaction.atomic
def settle(lineage: UUID) -> None:
    """Say anew of every finding of a journal whether it is there; those that no inspection saw go."""
    Finding.objects.filter(lineage=lineage, sightings=None).delete()
    order = inspections_of(lineage)
    seen = _seen(lineage, order)
    inspections = Inspection.objects.select_related("journal").in_bulk(order)
    findings, changes = list(Finding.objects.filter(lineage=lineage)), []
    moved = []
    for finding in findings:
        places = seen[finding.pk]
        said = presence_of(places, len(order))
        if said != finding.presence and said in {Presence.GONE, Presence.BACK}:
            changes.append(_change(finding, said, order[-1]))
        if _follow(finding, said, [inspections[order[place]] for place in (places[0], places[-1])]):
            moved.append(finding)
    columns = ["presence", "journal", "project", "last_inspection", "first_seen_at", "last_seen_at"]
    Finding.objects.bulk_update(moved, columns, batch_size=AT_ONCE // 5)
    Change.objects.bulk_create(changes, batch_size=AT_ONCE)


def presence_of(places: list[int], inspections: int) -> Presence:
    """Of a finding that was seen at these places in the order of so many inspections."""
    newest = inspections - 1
    if places[-1] != newest:
        return Presence.GONE
    if places == [newest]:
        return Presence.CREATED
    return Presence.STILL if newest - 1 in places else Presence.BACK


def _seen(lineage: UUID, order: list[UUID]) -> dict[int, list[int]]:
    """Finding -> places of the inspections that saw it, in order."""
    place = {inspection: number for number, inspection in enumerate(order)}
    pairs = Sighting.objects.filter(finding__lineage=lineage).values_list("finding_id", "inspection_id")
    seen: dict[int, list[int]] = defaultdict(list)
    for finding, inspection in pairs:
        seen[finding].append(place[inspection])
    return {finding: sorted(places) for finding, places in seen.items()}


def _change(finding: Finding, said: Presence, newest: UUID) -> Change:
    return Change(
        finding=finding,
        what=Change.What.PRESENCE,
        before=finding.presence,
        after=said,
        inspection_id=newest,
    )


def _follow(finding: Finding, said: Presence, ends: Iterable[Inspection]) -> bool:
    """Set what follows from its first and last sighting; whether that is new."""
    first, last = ends
    before = (finding.presence, finding.journal_id, finding.project_id, finding.last_inspection_id)
    times = (finding.first_seen_at, finding.last_seen_at)
    finding.presence, finding.journal, finding.last_inspection = said, last.journal, last
    finding.project_id = last.journal.project_id
    finding.first_seen_at = first.finished_at or first.created_at
    finding.last_seen_at = last.finished_at or last.created_at
    after = (finding.presence, finding.journal_id, finding.project_id, finding.last_inspection_id)
    return before != after or times != (finding.first_seen_at, finding.last_seen_at)
