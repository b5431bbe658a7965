"""What other apps add to pages of journals. They register it when they start: journals do not know them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet

from webapp.journals.models import Journal

Annotate = Callable[[QuerySet[Journal]], QuerySet[Journal]]
Context = Callable[[Journal], dict[str, Any]]
_columns: list[Annotate] = []
_contexts: list[Context] = []


def register_columns(annotate: Annotate) -> None:
    """For the list of journals; called once, in `AppConfig.ready`."""
    _columns.append(annotate)


def register_context(context: Context) -> None:
    """For a journal's page; called once, in `AppConfig.ready`."""
    _contexts.append(context)


def with_columns(journals: QuerySet[Journal]) -> QuerySet[Journal]:
    """The journals with all registered columns."""
    for annotate in _columns:
        journals = annotate(journals)
    return journals


def context_of(journal: Journal) -> dict[str, Any]:
    """Context of a journal's page from all registered functions."""
    return {name: value for context in _contexts for name, value in context(journal).items()}
