"""The filter line of a page: its text, its mistake, where its completion comes from."""

from __future__ import annotations

from typing import Any

from webapp.reports.filters.former import RecordFilter, read_filter
from webapp.reports.filters.reading import FilterError
from webapp.reports.page import Page


def filter_line(
    page: Page,
    records: RecordFilter,
    mistake: FilterError | None = None,
    label: str = "Filter records",
    example: str = "kind:update key:acc-* value.amount > 400",
) -> dict[str, Any]:
    """Context of `reports/partials/filter_line.html`."""
    typed = page.request.GET.get("filter", "")
    text = typed if mistake else records.text
    return {
        "text": text,
        "mistake": mistake and mistake_shown(text, mistake),
        "zone": records.zone if records.zone_info else "",
        "complete_url": page.url("report-filter-completion"),
        "help_url": page.url("report-filter-language"),
        "label": label,
        "example": example,
    }


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
