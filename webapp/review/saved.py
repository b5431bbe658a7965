"""Keeping, changing and deleting saved filters, each with its line in the audit log."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from webapp.accounts.models import Project
from webapp.audit.log import record
from webapp.rejected import Rejected
from webapp.review.filters import Filter
from webapp.review.models import SavedFilter

MAX_OWN = 50
MAX_NAME = 60


@transaction.atomic
def keep(user: Any, name: str, asked: Filter, project: Project | None) -> SavedFilter:
    """Keep it under a name, for the project's reviewers or for oneself; the same name again replaces it.

    Raises Rejected without a name, and for one filter too many.
    """
    name = _named(name)
    own = SavedFilter.objects.filter(owner=user)
    if not own.filter(project=project, name=name).exists() and own.count() >= MAX_OWN:
        raise Rejected(f"You have {MAX_OWN} filters. Delete one first.")
    kept, _ = SavedFilter.objects.update_or_create(
        owner=user, project=project, name=name, defaults={"query": asked.query}
    )
    _record("filter.saved", kept, query=kept.query)
    return kept


@transaction.atomic
def change(kept: SavedFilter, name: str, asked: Filter) -> None:
    """Another name, another filter, or both. Raises Rejected for a name that its owner has given to another one."""
    before, name = kept.name, _named(name)
    others = SavedFilter.objects.filter(owner=kept.owner, project=kept.project, name=name).exclude(pk=kept.pk)
    if others.exists():
        raise Rejected(f"Another filter is named {name}. Choose another name, or delete that one first.")
    kept.name, kept.query = name, asked.query
    kept.save(update_fields=["name", "query"])
    _record("filter.saved", kept, before=before, query=kept.query)


@transaction.atomic
def delete(kept: SavedFilter) -> None:
    """Delete it, for everybody who has it."""
    _record("filter.deleted", kept)
    kept.delete()


def _named(text: str) -> str:
    name = text.replace("\0", "").strip()[:MAX_NAME]
    if not name:
        raise Rejected("The filter needs a name.")
    return name


def _record(action: str, kept: SavedFilter, **detail: Any) -> None:
    record(action, project_id=kept.project_id, target=kept, **detail)
