"""Asking for an inspection, taking it back, asking again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from redis.exceptions import RedisError

from webapp import celery_client
from webapp.audit import log
from webapp.journals import progress, quotas
from webapp.journals.models import Inspection, Journal
from webapp.journals.refused import Refused

TASK = "journalscope.inspect"
# a worker that just took a task up may not have said so yet
SETTLING = timedelta(seconds=15)
State = Inspection.State


def request_inspection(
    journal: Journal, user: Any, read_as: dict[str, str] | None = None, text_format: str = ""
) -> Inspection:
    """A new inspection, sent to the workers once the transaction is safe; `read_as`: topic -> dialect id.

    `text_format`: kcat's, of texts that do not name theirs.

    Raises Refused when the project has started as many as it may within 24 hours.
    """
    with transaction.atomic():
        quotas.insist_on_inspecting(journal.project)
        inspection = Inspection.objects.create(
            journal=journal, requested_by=user, read_as=read_as or {}, text_format=text_format
        )
        log.record(quotas.STARTED, actor=user, project_id=journal.project_id, target=inspection)
    transaction.on_commit(lambda: celery_client.send(TASK, str(inspection.pk)))
    return inspection


def earlier_inspection(journal: Journal) -> Inspection | None:
    """An inspection of the same input in another journal of the project that is done or on its way."""
    if not journal.input_digest:
        return None
    same = Inspection.objects.filter(
        journal__input_digest=journal.input_digest, journal__project=journal.project_id
    ).exclude(journal=journal)
    usable = same.filter(state__in=[State.DONE, State.RUNNING, State.QUEUED])
    # done ones first: "done" sorts before "queued" and "running"
    return usable.select_related("journal").order_by("state", "-created_at").first()


def cancel(inspection: Inspection) -> None:
    """Stop it: at once when no worker is at it, else as soon as the worker reads the word left for it."""
    if not inspection.is_over:
        log.record("inspection.cancelled", project_id=inspection.journal.project_id, target=inspection)
    over = {"state": State.CANCELLED, "finished_at": timezone.now()}
    if Inspection.objects.filter(pk=inspection.pk, state=State.QUEUED).update(**over):
        return
    try:
        progress.ask_to_cancel(inspection.pk)
    except RedisError as error:
        raise Refused(
            "The queue cannot be reached, so the worker cannot be told. Is Redis running?", 503
        ) from error
    if is_abandoned(inspection):
        Inspection.objects.filter(pk=inspection.pk, state=State.RUNNING).update(**over)


@transaction.atomic
def retry(inspection: Inspection, user: Any) -> Inspection:
    """Inspect the journal again; one that lost its worker counts as failed from now on."""
    lost = "The worker stopped before this inspection was finished. It was started again by hand."
    Inspection.objects.filter(pk=inspection.pk, state=State.RUNNING).update(
        state=State.FAILED, error=lost, finished_at=timezone.now()
    )
    return request_inspection(inspection.journal, user, inspection.read_as, inspection.text_format)


def is_abandoned(inspection: Inspection) -> bool:
    """Whether it should be running and no worker says that it is."""
    if inspection.state != State.RUNNING:
        return False
    if inspection.started_at and inspection.started_at > timezone.now() - SETTLING:
        return False
    try:
        return not progress.is_alive(inspection.pk)
    except RedisError:
        return True


def place_in_queue(inspection: Inspection) -> int:
    """1: the next."""
    queued = Inspection.objects.filter(state=State.QUEUED)
    return queued.filter(created_at__lt=inspection.created_at).count() + 1
