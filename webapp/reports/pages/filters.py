"""The filter language for readers of a report: its page, and the completion of a filter line."""

from __future__ import annotations

from django.http import HttpResponse, JsonResponse

from webapp.catalogue.pages import page_of
from webapp.reports.filters.completion import FilterCompletion
from webapp.reports.filters.parser import MAX_FILTER
from webapp.reports.page import Page, report_page
from webapp.reports.pages import DISPLAY, SEARCH, ReportAddress, ReportPage
from webapp.reports.paging import whole_number


@report_page
def language(page: Page) -> HttpResponse:
    """docs/filters.md."""
    return page.render("reports/filters.html", {"text": page_of("filters.md")})


@report_page
def completion(page: Page) -> HttpResponse:
    """Choices at a cursor, and the mistake."""
    text = page.request.GET.get("filter", "")[: MAX_FILTER + 1]
    cursor = whole_number(page.request.GET.get("cursor"))
    completer = FilterCompletion(
        page.partition,
        page.facts,
        text,
        min(max(0, len(text) if cursor is None else cursor), len(text)),
        page.source.unfiltered,
        page.request.GET.get("zone", "")[:60],
        page.source.decodes,
    )
    return JsonResponse(completer.answer())


page = ReportPage(
    name="report-filter-language",
    path="filters/",
    view=language,
    tab="report-records",
    shared=True,
    further=(
        ReportAddress(
            "report-filter-completion",
            "filters/completion.json",
            completion,
            filters={"filter": SEARCH, "cursor": DISPLAY},
            reader="rows",
            read_as="filter.completed",
            shared=True,
        ),
    ),
)
