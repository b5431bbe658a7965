"""How much a project may store, and how many inspections it may start within 24 hours."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.apps import apps
from django.db.models import Sum
from django.utils import timezone

from webapp.accounts.models import Project
from webapp.audit.models import Event
from webapp.journals.models import Upload
from webapp.journals.templatetags.journalscope import size as in_words
from webapp.rejected import Rejected

WINDOW = timedelta(hours=24)
STARTED = "inspection.started"


def used_bytes(project: Project) -> int:
    """Raw files of its journals, those on their way at their announced size; each file counts, copies too, but for what
    one dump of a journal has in common with the next.

    What captures have fetched and is no journal yet counts, too.
    """
    files = Upload.objects.filter(journal__project=project)
    captures = apps.get_model("clusters", "Capture").objects.filter(project=project, journal=None)
    stored = files.exclude(blob=None).values("journal__lineage", "name", "blob", "size_bytes").distinct()
    totals = (
        rows.aggregate(total=Sum("size_bytes"))["total"]
        for rows in (stored, files.filter(blob=None), captures)
    )
    return sum(total or 0 for total in totals)


def require_room(project: Project, more_bytes: int) -> None:
    """Raise Rejected (413) if the files would exceed the project's quota. Locks the project's row."""
    quota_bytes = Project.objects.select_for_update().get(pk=project.pk).quota_bytes
    if quota_bytes is None:
        return
    used = used_bytes(project)
    if used + more_bytes > quota_bytes:
        raise Rejected(
            f"The project {project} has no room for {in_words(more_bytes)}: {in_words(used)} of its "
            f"{in_words(quota_bytes)} are in use. Delete journals that are no longer needed, or ask an admin of "
            f"the site for a higher quota.",
            413,
        )


def started_inspections(project: Project) -> list[datetime]:
    """Start times within the last 24 hours, oldest first; deleted inspections count."""
    recent = Event.objects.filter(project_id=project.pk, action=STARTED, at__gt=timezone.now() - WINDOW)
    return list(recent.order_by("at").values_list("at", flat=True))


def wait_of(project: Project) -> str:
    """Sentence with the reason and the time of the next start; empty if an inspection can start now."""
    if project.quota_inspections is None:
        return ""
    started = started_inspections(project)
    excess = len(started) - project.quota_inspections
    if excess < 0:
        return ""
    count = f"{len(started)} inspection{'' if len(started) == 1 else 's'}"
    limit = f"{count} of the project {project} were started within 24 hours; its limit is {project.quota_inspections}."
    if project.quota_inspections == 0:
        return f"The project {project} has no permission to start inspections. Ask an admin of the site."
    free_at = started[excess] + WINDOW
    minutes = max(1, round((free_at - timezone.now()).total_seconds() / 60))
    return f"{limit} The next can be started at {free_at:%Y-%m-%d %H:%M} UTC, in {_duration(minutes)}."


def require_inspecting(project: Project) -> None:
    """Raise Rejected (429) with that sentence. Locks the project's row."""
    if sentence := wait_of(Project.objects.select_for_update().get(pk=project.pk)):
        raise Rejected(sentence, 429)


def _duration(minutes: int) -> str:
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
