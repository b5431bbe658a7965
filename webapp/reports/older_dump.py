"""Addresses of records that only an older dump of the journal has: the page of the record in that dump's report.

The tables have the dump's name. Who may not see its journal gets no address, and neither does a share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlencode

from spark.difference.same_log import may_be_same
from webapp.journals.access import earlier_inspection
from webapp.reports.page import Page
from webapp.reports.queries.partitions import survey
from webapp.reports.queries.timeline.other_dumps import OtherRecord
from webapp.reports.results import ResultsGone, open_results, replica_query
from webapp.reports.source import of_inspection


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
