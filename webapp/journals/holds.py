"""Legal hold: what is under it is deleted by nobody, whatever their role, until an admin ends the hold."""

from __future__ import annotations

from django.db import transaction

from webapp.audit import log
from webapp.journals.models import Journal
from webapp.rejected import Rejected


def hold_of(journal: Journal) -> str:
    """Why the journal must not be deleted, as a sentence; empty if it may be."""
    if journal.project.is_on_hold:
        sentence = f"The project {journal.project} is under legal hold, so nothing in it can be deleted."
    elif journal.is_on_hold:
        sentence = f"{journal} is under legal hold, so nothing of it can be deleted."
    else:
        return ""
    return f"{sentence} An admin of the project can end the hold."


def require_no_hold(journal: Journal) -> None:
    """Raise Rejected with that sentence. Queries again: a hold takes effect immediately."""
    now = Journal.objects.select_related("project").get(pk=journal.pk)
    if sentence := hold_of(now):
        raise Rejected(sentence, 409)


@transaction.atomic
def set_hold(journal: Journal, is_on_hold: bool) -> None:
    """Start or end the legal hold of a journal."""
    journal.is_on_hold = is_on_hold
    journal.save(update_fields=["is_on_hold"])
    action = "journal.held" if is_on_hold else "journal.released"
    log.record(action, project_id=journal.project_id, target=journal)
