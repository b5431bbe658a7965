"""The filter line of a page: its text, its mistake, where its completion comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from webapp.excluded import WithoutFilter
from webapp.rejected import Rejected
from webapp.reports.filters.examples import examples
from webapp.reports.filters.former import RecordFilter, read_filter
from webapp.reports.filters.reading import FilterError
from webapp.reports.filters.tree import BothTest, both, written
from webapp.reports.page import Page
from webapp.reports.queries.records import RecordPosition, find_offsets

MAX_TESTS_SHOWN = 8
MAX_EXAMPLES = 2
FLAGS = {"key": "keys", "value": "payloads", "entity": "names"}  # field of a test: the choice of a link


def filter_line(
    page: Page,
    records: RecordFilter,
    mistake: FilterError | None = None,
    label: str = "Filter records",
    fields: Sequence[str] = ("kind", "entity", "key", "offset"),
) -> dict[str, Any]:
    """Context of `reports/partials/filter_line.html`. `fields`: those that its example names."""
    typed = page.request.GET.get("filter", "")
    text = typed if mistake else records.text
    return {
        "text": text,
        "mistake": mistake and mistake_shown(text, mistake),
        "zone": records.zone if records.zone_info else "",
        "complete_url": page.url("report-filter-completion"),
        "help_url": page.url("report-filter-language"),
        "label": label,
        "example": visible(examples(page, *fields), page),
    }


def visible(tests: Sequence[str], page: Page) -> str:
    """An example without the tests of what a link hides."""
    options = page.source.share.options if page.source.share else {}
    hidden = tuple(field for field, flag in FLAGS.items() if options.get(flag, True) is not True)
    return " ".join([test for test in tests if not test.startswith(hidden)][:MAX_EXAMPLES])


def filter_of(page: Page) -> RecordFilter:
    """The filter of the page's address. Raises FilterError."""
    return read_filter(page.request.GET.dict(), page.source.unfiltered, decodes=page.source.decodes)


def mistake_shown(text: str, mistake: FilterError) -> dict[str, Any]:
    """The text in three pieces, the second of which is wrong, and the whole text with the nearest right form."""
    start, end = mistake.start, mistake.end
    return {
        "sentence": str(mistake),
        "start": start,
        "end": end,
        "before": text[:start],
        "wrong": text[start:end] or " ",
        "after": text[end:],
        "instead": mistake.instead,
        "corrected": text[:start] + mistake.instead + text[end:] if mistake.instead else "",
    }


def parts_that_exclude(page: Page, record_filter: RecordFilter) -> list[WithoutFilter]:
    """Of a filter that matches nothing: each part without which something matches."""
    if not isinstance(record_filter.tree, BothTest):
        return []
    excluding: list[WithoutFilter] = []
    for test in record_filter.tree.parts[:MAX_TESTS_SHOWN]:
        rest = replace(
            record_filter, tree=both(*(other for other in record_filter.tree.parts if other is not test))
        )
        try:
            hits = find_offsets(page.partition, rest, page.facts, RecordPosition(), 1).total
        except Rejected:
            return excluding
        if hits:
            excluding.append(WithoutFilter(written(test), page.url("report-records", **rest.query), hits))
    return excluding
