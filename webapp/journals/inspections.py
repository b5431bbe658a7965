"""Asking for an inspection, and asking again."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from webapp.audit import log
from webapp.jobs import lifecycle
from webapp.journals.disk import quotas
from webapp.journals.models import Inspection, Journal
from webapp.rejected import Rejected

State = Inspection.State


def request_inspection(
    journal: Journal, user: Any, read_as: dict[str, str] | None = None, text_format: str = ""
) -> Inspection:
    """An inspection, sent to the workers once the transaction is safe; `read_as`: topic -> dialect id.

    The one on its way that reads the journal in the same way, if there is one.

    `text_format`: kcat's, of texts that do not name theirs.

    Raises Rejected when the project has started as many as it may within 24 hours.
    """
    with transaction.atomic():
        reading = {"read_as": read_as or {}, "text_format": text_format}
        inspection, is_new = lifecycle.request(
            Inspection, journal, reading, journal=journal, requested_by=user, **reading
        )
        if not is_new:
            return inspection
        quotas.require_inspecting(journal.project)
        log.record(quotas.STARTED, actor=user, project_id=journal.project_id, target=inspection)
        lifecycle.send(inspection)
    return inspection


def require_input(journal: Journal) -> None:
    """Raises Rejected unless all files of the journal are stored."""
    if journal.is_being_stored:
        raise Rejected(f"The files of {journal.name} are being stored. Then its inspection starts.", 409)
    if not journal.complete_at or not journal.uploads.exists():
        raise Rejected(f"{journal.name} has no complete input. Upload its files first.", 409)


def cancel(inspection: Inspection) -> None:
    """Raises Rejected."""
    if not inspection.is_over:
        log.record("inspection.cancelled", project_id=inspection.journal.project_id, target=inspection)
    lifecycle.cancel(inspection)


@transaction.atomic
def retry(inspection: Inspection, user: Any) -> Inspection:
    lifecycle.replace(inspection)
    return request_inspection(inspection.journal, user, inspection.read_as, inspection.text_format)
