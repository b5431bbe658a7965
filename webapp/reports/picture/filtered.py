"""A timeline of the records that match a filter: `lifelines` and `marks` of the partition hold no others.

The axis stays that of the whole partition, so that it shows where the matches lie. Schemas are not asked here: a value that only
a schema decodes has no members.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from spark.tables.store import RestrictedTable
from webapp.reports.filters.compiled import compiled
from webapp.reports.filters.former import RecordFilter
from webapp.reports.queries.isolation import restrictions, view_options
from webapp.reports.results import WHERE_REPLICA, PartitionResults

if TYPE_CHECKING:
    from webapp.reports.page import Page

DRAWN = ("lifelines", "marks")
READ_FROM = re.compile(r"\bFROM (lifelines|marks)\b")


def matching_parts(
    page: Page, whole: PartitionResults, record_filter: RecordFilter
) -> dict[str, RestrictedTable]:
    """What a reader of this page gets of a partition, of which only what matches is drawn."""
    parts = restrictions(page.reader, view_options(whole))
    if record_filter.tree is None:
        return parts
    sources = {name: parts[name].sql if name in parts else f"SELECT * FROM whole_{name}" for name in DRAWN}
    fitting = compiled(whole, record_filter.tree, record_filter.zone_info)
    matching = fitting.of(f'SELECT "offset" FROM {{fitting}} WHERE {WHERE_REPLICA} AND {{condition}}')
    matching = READ_FROM.sub(lambda match: f"FROM ({sources[match[1]]})", matching)
    drawn = {
        name: RestrictedTable(
            f'SELECT * FROM ({sql}) WHERE "offset" IN ({matching})',
            fitting.values | dict(parts[name].values if name in parts else {}),
        )
        for name, sql in sources.items()
    }
    return parts | drawn


def matching_page(page: Page, record_filter: RecordFilter) -> Page:
    """The page, with the records that match."""
    if record_filter.tree is None:
        return page
    whole = page.results.restricted({})
    parts = matching_parts(page, whole.of(page.replica), record_filter)
    return replace(page, results=whole.restricted(parts))
