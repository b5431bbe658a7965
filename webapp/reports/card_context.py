"""What other apps add to the cards of findings on a report. They register it when they start: reports do not know them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from webapp.journals.models import Inspection

if TYPE_CHECKING:
    from webapp.reports.report import ReportFinding

Context = Callable[[Inspection | None, Any, Sequence["ReportFinding"]], dict[str, Any]]
_registered: list[Context] = []


def register(context: Context) -> None:
    """To be called once, when the app is ready."""
    _registered.append(context)


def context_of_cards(
    inspection: Inspection | None, user: Any, cards: Sequence[ReportFinding]
) -> dict[str, Any]:
    """For the template, of everything that was registered."""
    return {
        name: value for context in _registered for name, value in context(inspection, user, cards).items()
    }
