"""Records that this dump lacks and another dump of the journal has, with the page of the record in that dump's report.

Of an older dump that the inspection read, the tables have the name. Any other dump of the topic is asked when a record is looked
at: it is of the same log if records around show it. Who may not see its journal gets no address,
and neither does a share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet

from spark.difference.same_log import may_be_same
from webapp.journals.access import earlier_inspection
from webapp.journals.models import Inspection
from webapp.reports.comparison.picker import SAME_LINEAGE, SAME_TOPIC, choices
from webapp.reports.page import Page
from webapp.reports.queries.keys import entries_at
from webapp.reports.queries.partitions import survey
from webapp.reports.queries.record import line_at
from webapp.reports.queries.same_log import is_of_one_log
from webapp.reports.queries.timeline.other_dumps import OtherRecord
from webapp.reports.repair.origins import TextOrigin, named_dumps, record_url
from webapp.reports.results import PartitionResults, ResultsGone, open_results, replica_query
from webapp.reports.source import of_inspection

DUMPS_READ = 5
OFFSETS_COMPARED = 5_000  # on both sides of the one that is looked for


@dataclass(frozen=True)
class Predecessor:
    """A record before another one of its key, in another dump. `attributes`: what the service reads in it."""

    origin: TextOrigin
    attributes: str | None
    action: str
    size_bytes: int | None  # of its value; None: null


def record_elsewhere(page: Page, offset: int) -> TextOrigin | None:
    """Where the record at an offset is, if this dump has none: in the newest other dump of the log that has it."""
    for inspection, other in _dumps_of_the_log(page, offset):
        if line_at(other, offset):
            return _origin(page, inspection, other, offset)
    return None


def predecessors_elsewhere(page: Page, offset: int, most: int = 1) -> list[Predecessor]:
    """The newest records before this one of its key that this dump lacks and another dump of the log has, in their order."""
    for inspection, other in _dumps_of_the_log(page, offset):
        lines: list[dict[str, Any]] = []
        line = line_at(other, offset)
        while len(lines) < most and line is not None and line["previous_offset"] is not None:
            line = line_at(other, line["previous_offset"])
            lines += [line] if line else []
        if lines:
            entries = entries_at(other, [line["offset"] for line in lines])
            return [
                Predecessor(
                    _origin(page, inspection, other, line["offset"]),
                    entries.get(line["offset"], {}).get("attributes"),
                    entries.get(line["offset"], {}).get("entry_action") or "",
                    None if line["value_is_null"] else line["value_size_bytes"],
                )
                for line in reversed(lines)
            ]
    return []


def _dumps_of_the_log(page: Page, offset: int) -> Iterator[tuple[Inspection, PartitionResults]]:
    """The best candidates, newest first; their tables are open until the next one is asked for."""
    if page.source.inspection is None:
        return
    low, high = offset - OFFSETS_COMPARED, offset + OFFSETS_COMPARED
    of_topic: QuerySet[Any] = choices(page, "")[0]
    for inspection in of_topic.filter(rank__in=(SAME_LINEAGE, SAME_TOPIC))[:DUMPS_READ]:
        try:
            with open_results(inspection.results) as results:
                for other in map(results.of, survey(results).replicas):
                    if is_of_one_log(page.partition, other, low, high):
                        yield inspection, other
        except ResultsGone:
            continue


def _origin(page: Page, inspection: Inspection, other: PartitionResults, offset: int) -> TextOrigin:
    dump = {"inspection": inspection.pk, "places": [other.replica]}
    url = record_url(dump, other.replica._asdict(), offset)
    return TextOrigin(offset, named_dumps(page, [inspection])[0], url=url)


def with_addresses(page: Page, records: Sequence[OtherRecord]) -> list[OtherRecord]:
    """The records, each with the address of its page as far as the reader may open it."""
    by_dump: dict[str, tuple[str, str] | None] = {
        dump: _address_in(page, dump) for dump in {record.dump for record in records}
    }
    return [
        replace(record, url=f"{address[0]}{record.offset}/{address[1]}")
        if (address := by_dump[record.dump])
        else record
        for record in records
    ]


def _address_in(page: Page, dump: str) -> tuple[str, str] | None:
    """What stands before and behind an offset in the address of a record of that dump."""
    if page.source.inspection is None:
        return None
    older = earlier_inspection(page.request.user, page.source.inspection, dump)
    if older is None:
        return None
    try:
        with open_results(older.results) as results:
            replicas = survey(results).replicas
    except ResultsGone:
        return None
    fitting = [replica for replica in replicas if may_be_same(replica, page.replica)]
    if not fitting:
        return None
    query = f"?{urlencode(replica_query(fitting[0]))}" if len(replicas) > 1 else ""
    return of_inspection(older).address("report-records", ()), query
