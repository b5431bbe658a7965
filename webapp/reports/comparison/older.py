"""Which of the dumps that a report can be compared with end before its loss, by the times of their records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from webapp.journals.models import Inspection
from webapp.reports.page import Page
from webapp.reports.repair.older_dumps import can_be_proven, is_of_this_log

LAST = "last_timestamp_ms"


@dataclass(frozen=True)
class LossInTime:
    """`ending_before`: by dump, whether records that both have prove that it is of this log; true where nothing can prove it."""

    at_ms: int
    ending_before: dict[Any, bool]
    are_all_dated: bool


def loss_in_time(page: Page, dumps: Iterable[Inspection]) -> LossInTime | None:
    """None for a report whose headline tells no time of a loss."""
    at_ms = loss_ms(page.report.document)
    if at_ms is None:
        return None
    dumps = list(dumps)
    dated = [dump for dump in dumps if dump.summary.get(LAST) is not None]
    ending = [dump for dump in dated if dump.summary[LAST] < at_ms]
    can_prove = can_be_proven(page)
    proven = {dump.pk: not can_prove or is_of_this_log(page, dump) for dump in ending}
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
