"""Legal hold: what is under it is deleted by nobody, whatever their role, until an admin ends the hold."""

from __future__ import annotations

from webapp.journals.models import Journal
from webapp.journals.refused import Refused


def hold_of(journal: Journal) -> str:
    """Why nothing of the journal may be deleted, as a sentence; empty when it may."""
    if journal.project.is_on_hold:
        held = f"The project {journal.project} is under legal hold, so nothing in it can be deleted."
    elif journal.is_on_hold:
        held = f"{journal} is under legal hold, so nothing of it can be deleted."
    else:
        return ""
    return f"{held} An admin of the project can end the hold."


def insist_on_no_hold(journal: Journal) -> None:
    """Raise Refused with that sentence. Asks the database again: a hold counts from the moment it is set."""
    now = Journal.objects.select_related("project").get(pk=journal.pk)
    if sentence := hold_of(now):
        raise Refused(sentence, 409)
