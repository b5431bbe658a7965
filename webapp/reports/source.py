"""Source of a report page: an inspection, or the part of one that a share contains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.urls import NoReverseMatch, reverse

from spark.storage.stored_path import ResultPath
from webapp.journals.models import Inspection
from webapp.reports.ticket import SIGN_IN


@dataclass(frozen=True)
class ReportSource:
    """Where the tables lie, what the report is called, and how its addresses begin.

    A share has no `inspection`: nothing that changes, reviews or downloads hidden bytes is offered then.
    `decodes`: bytes are decoded by schemas when a page shows them; where there are masks, that was done before they were masked.
    `opens`: for whom an address of it opens, for the text of a ticket.
    `trials`: of a share, by finding: the result of its repair trial when the share was made, for `RepairPlan`.
    `is_narrowed`: the tables hold a part of what was inspected, so what is not in them may be elsewhere.
    `behind`: of such a part, by finding: how many records of the inspection are hidden behind its first offset, or where it can be read again.
    """

    title: str
    results: ResultPath
    prefix: tuple[Any, ...]
    namespace: str = ""
    inspection: Inspection | None = None
    share: Any = None
    opens: str = SIGN_IN
    is_narrowed: bool = False
    tabs: frozenset[str] = field(default_factory=frozenset)  # empty: all of them
    hidden: frozenset[str] = field(default_factory=frozenset)  # parts of a record that are marks: key, value
    decodes: bool = True
    trials: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    behind: Mapping[str, int] = field(default_factory=dict)
    _made: dict[tuple[Any, ...], str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def address(self, name: str, args: tuple[Any, ...]) -> str:
        """Path of a page of this report; empty for one that a share does not have."""
        made = self._made.get((name, *args))
        if made is None:  # a page names some of its report's pages hundreds of times
            made = self._made[name, *args] = self._address(name, args)
        return made

    def _address(self, name: str, args: tuple[Any, ...]) -> str:
        if not self.namespace:
            return reverse(name, args=[*self.prefix, *args])
        try:
            return reverse(f"{self.namespace}:{name}", args=[*self.prefix, *args])
        except NoReverseMatch:
            return ""

    @property
    def unfiltered(self) -> frozenset[str]:
        """Parts of a record that no filter may ask for: those that a share hides."""
        hides_headers = self.share is not None and not self.share.options.get("headers")
        return self.hidden | ({"header"} if hides_headers else set())

    def shows(self, tab: str) -> bool:
        """Whether the report has this tab."""
        return not self.tabs or tab in self.tabs


def of_inspection(inspection: Inspection) -> ReportSource:
    """The report itself."""
    return ReportSource(inspection.journal.name, inspection.results, (inspection.pk,), inspection=inspection)
