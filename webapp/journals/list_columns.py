"""What other apps add to the list of journals. They register it when they start: journals do not know them."""

from __future__ import annotations

from collections.abc import Callable

from django.db.models import QuerySet

from webapp.journals.models import Journal

Annotate = Callable[[QuerySet[Journal]], QuerySet[Journal]]
_registered: list[Annotate] = []


def register(annotate: Annotate) -> None:
    """To be called once, when the app is ready."""
    _registered.append(annotate)


def with_columns(journals: QuerySet[Journal]) -> QuerySet[Journal]:
    """The same journals with everything that was registered."""
    for annotate in _registered:
        journals = annotate(journals)
    return journals
