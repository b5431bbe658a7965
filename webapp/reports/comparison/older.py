"""Which of the dumps that a report can be compared with end before its loss, by the times of their records."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from webapp.journals.models import Inspection
from webapp.reports.page import Page
from webapp.reports.repair.older_dumps import is_of_this_log
from webapp.reports.repair.topic import repairable

LAST = "last_timestamp_ms"


@dataclass(frozen=True)
class LossInTime:
    """`ending_before`: by dump, whether records that both have prove that it is of this log; true where nothing can prove it."""

    at_ms: int
    ending_before: dict[Any, bool]
    are_all_dated: bool


def unproven_dumps(page: Page, dumps: Iterable[Inspection]) -> set[Any]:
    """Dumps that no record in common shows to be of this log, where records can show it."""
    if not repairable(page.report.document.get("journals", [])):
        return set()
    return {dump.pk for dump in dumps if not is_of_this_log(page, dump)}


def loss_in_time(page: Page, dumps: Iterable[Inspection], unproven: Collection[Any]) -> LossInTime | None:
    """None for a report whose headline tells no time of a loss. `unproven`: of unproven_dumps."""
    at_ms = loss_ms(page.report.document)
    if at_ms is None:
        return None
    dumps = list(dumps)
    dated = [dump for dump in dumps if dump.summary.get(LAST) is not None]
    ending = [dump for dump in dated if dump.summary[LAST] < at_ms]
    proven = {dump.pk: dump.pk not in unproven for dump in ending}
    return LossInTime(at_ms, proven, len(dated) == len(dumps))


def loss_ms(document: dict[str, Any]) -> int | None:
    """The time in the title of the worst incident that has one, of those whose victims are lost already."""
    for incident in document.get("incidents", []):
        victims = incident.get("victims") or []
        if any((victim["kind"], victim["when"]) == ("lost", "already") for victim in victims):
            blocks = (incident.get("typed") or {}).get("title") or []
            segments = [segment for block in blocks for segment in block["segments"]]
            times = (segment["value"] for segment in segments if segment.get("kind") == "time")
            if (time := next(times, None)) is not None:
                return int(time)
    return None
