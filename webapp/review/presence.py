"""Created, still there, gone, back: what the newest inspection of a journal says of its findings.

Told from the sightings alone, so it comes out the same whenever and however often it is asked. Findings follow their
journal: to another project, and away when the last inspection that saw them is deleted.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver

from webapp.journals.models import Inspection, Journal
from webapp.review.models import Change, Finding, Intake, Sighting
from webapp.review.states import Presence

AT_ONCE = 500
FOLLOWS = ("presence", "journal_id", "project_id", "last_inspection_id", "first_seen_at", "last_seen_at")


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
    positions_of = _seen(lineage, order)
    inspections = Inspection.objects.select_related("journal").in_bulk(order)
    changes = []
    alike: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    rows = Finding.objects.filter(lineage=lineage).order_by("pk").select_for_update()
    for finding in rows.only("pk", *FOLLOWS):
        positions = positions_of[finding.pk]
        presence = presence_of(positions, len(order))
        if presence != finding.presence and presence in {Presence.GONE, Presence.BACK}:
            changes.append(_change(finding, presence, order[-1]))
        first, last = (inspections[order[position]] for position in (positions[0], positions[-1]))
        follows = (presence, last.journal_id, last.journal.project_id, last.pk, seen_at(first), seen_at(last))
        if follows != tuple(getattr(finding, name) for name in FOLLOWS):
            alike[follows].append(finding.pk)
    for values, ids in alike.items():
        for start in range(0, len(ids), AT_ONCE):
            some = Finding.objects.filter(pk__in=ids[start : start + AT_ONCE])
            some.update(**dict(zip(FOLLOWS, values, strict=True)))
    Change.objects.bulk_create(changes, batch_size=AT_ONCE)


@receiver(post_delete, sender=Inspection)
def settle_without(instance: Inspection, **_: Any) -> None:
    """The inspection's sightings are deleted already."""
    settle(instance.journal.lineage)


@receiver(post_save, sender=Journal)
def move_along(instance: Journal, created: bool, **_: Any) -> None:
    """Findings follow their journal to another project."""
    if not created:
        stayed = Finding.objects.filter(journal=instance).exclude(project=instance.project_id)
        stayed.update(project=instance.project_id)


def presence_of(positions: list[int], inspections: int) -> Presence:
    """Of a finding that was seen at these positions in the order of so many inspections."""
    newest = inspections - 1
    if positions[-1] != newest:
        return Presence.GONE
    if positions == [newest]:
        return Presence.CREATED
    return Presence.STILL if newest - 1 in positions else Presence.BACK


def _seen(lineage: UUID, order: list[UUID]) -> dict[int, list[int]]:
    """Finding -> positions of the inspections that saw it, in order."""
    position = {inspection: number for number, inspection in enumerate(order)}
    pairs = Sighting.objects.filter(finding__lineage=lineage).values_list("finding_id", "inspection_id")
    positions_of: dict[int, list[int]] = defaultdict(list)
    for finding, inspection in pairs:
        positions_of[finding].append(position[inspection])
    return {finding: sorted(positions) for finding, positions in positions_of.items()}


def _change(finding: Finding, presence: Presence, newest: UUID) -> Change:
    return Change(
        finding=finding,
        what=Change.What.PRESENCE,
        before=finding.presence,
        after=presence,
        inspection_id=newest,
    )


def seen_at(inspection: Inspection) -> datetime:
    return inspection.finished_at or inspection.created_at
