"""Keeping, changing and deleting saved filters, each with its line in the audit log."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from webapp.accounts.models import Project
from webapp.audit.log import record
from webapp.rejected import Rejected
from webapp.review.models import SavedFilter

MAX_OWN = 50  # of a user, of the queue and of each journal type
MAX_NAME = 60


@transaction.atomic
def keep(user: Any, name: str, query: str, project: Project | None, journal_type: str = "") -> SavedFilter:
    """Keep it under a name, for the project or for oneself; the same name again replaces it.

    Raises Rejected without a name, and for one filter too many.
    """
    name = _named(name)
    own = SavedFilter.objects.filter(owner=user, journal_type=journal_type)
    if not own.filter(project=project, name=name).exists() and own.count() >= MAX_OWN:
        raise Rejected(f"You have {MAX_OWN} filters. Delete one first.")
    saved, _ = SavedFilter.objects.update_or_create(
        owner=user, project=project, journal_type=journal_type, name=name, defaults={"query": query}
    )
    _record("filter.saved", saved, query=saved.query)
    return saved


@transaction.atomic
def change(saved: SavedFilter, name: str, query: str) -> None:
    """Another name, another filter, or both. Raises Rejected for a name that its owner has given to another one."""
    before, name = saved.name, _named(name)
    others = SavedFilter.objects.filter(
        owner=saved.owner, project=saved.project, journal_type=saved.journal_type, name=name
    )
    if others.exclude(pk=saved.pk).exists():
        raise Rejected(f"Another filter is named {name}. Choose another name, or delete that one first.")
    saved.name, saved.query = name, query
    saved.save(update_fields=["name", "query"])
    _record("filter.saved", saved, before=before, query=saved.query)


@transaction.atomic
def delete(saved: SavedFilter) -> None:
    _record("filter.deleted", saved)
    saved.delete()


def _named(text: str) -> str:
    name = text.replace("\0", "").strip()[:MAX_NAME]
    if not name:
        raise Rejected("The filter needs a name.")
    return name


def _record(action: str, saved: SavedFilter, **detail: Any) -> None:
    if saved.journal_type:
        detail["journal_type"] = saved.journal_type
    record(action, project_id=saved.project_id, target=saved, **detail)
