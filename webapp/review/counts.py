"""Numbers of open incidents: in the header, and for each journal of a list."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Exists, IntegerField, OuterRef, QuerySet, Subquery

from webapp.accounts.roles import projects_for_user
from webapp.journals.models import Inspection, Journal
from webapp.review.filters import Filter
from webapp.review.models import Intake, Sighting
from webapp.review.states import OPEN, Presence

COUNTED = 1000  # the header need not know it better


def waiting_for(user: Any) -> str:
    """Number of open incidents in projects that the user reviews; empty without such projects."""
    if not projects_for_user(user, "reviewer").exists():
        return ""
    waiting = Filter().findings(user)
    count = waiting.order_by().values("lineage", "incident").distinct()[: COUNTED + 1].count()
    if count > COUNTED:
        return f"{COUNTED:,}+"
    return f"{count:,}" if count else ""


def with_open_incidents(journals: QuerySet[Journal]) -> QuerySet[Journal]:
    """Journals with `open_incidents`: the number of incidents that their newest report shows and nobody is through with.

    `is_taken_in` is false while that report's findings are not in the queue.
    """
    newest = Inspection.objects.filter(journal=OuterRef("pk"), state=Inspection.State.DONE).order_by(
        "-created_at"
    )
    journals = journals.annotate(newest_done=Subquery(newest.values("pk")[:1]))
    sightings = Sighting.objects.filter(inspection=OuterRef("newest_done"), finding__state__in=OPEN)
    sightings = sightings.filter(finding__is_root=True).exclude(finding__severity="info")
    by_inspection = sightings.exclude(finding__presence=Presence.GONE).order_by().values("inspection")
    return journals.annotate(
        open_incidents=Subquery(
            by_inspection.annotate(number=Count("finding__incident", distinct=True)).values("number"),
            output_field=IntegerField(),
        ),
        is_taken_in=Exists(Intake.objects.filter(inspection=OuterRef("newest_done"))),
    )
