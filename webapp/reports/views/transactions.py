"""Transactions: who wrote what under which outcome, where readers of committed data stop, and who will see what."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse

from webapp.reports.charts import transactions as chart
from webapp.reports.queries.transactions import (
    DRAWN,
    OUTCOMES,
    TransactionsAsked,
    count_by_outcome,
    list_transactions,
    producers_of,
    spans_between,
)
from webapp.reports.views.figures import figure_response, theme_of
from webapp.reports.views.page import Page, report_page, whole_number

OUTCOME_WORDS = {
    "committed": "committed",
    "aborted": "aborted",
    "open": "open",
    "marker_missing": "marker missing",
}


@report_page
def transactions(page: Page) -> HttpResponse:
    """The figure, what each isolation level delivers, and the list."""
    asked = read_asked(page)
    rows, has_more = list_transactions(page.partition, asked)
    everything = count_by_outcome(page.partition, TransactionsAsked())
    fitting = count_by_outcome(page.partition, asked)
    return page.render(
        "reports/transactions.html",
        {
            "asked": asked,
            "rows": rows,
            "outcomes": [
                (name, OUTCOME_WORDS[name], everything[name]) for name in OUTCOMES if name in everything
            ],
            "total": sum(row["transactions"] for row in everything.values()),
            "fitting": sum(row["transactions"] for row in fitting.values()),
            "producers": producers_of(page.partition),
            "sight": page.sight,
            "figure_url": page.url("report-transactions-figure"),
            "clear_url": page.url("report-transactions"),
            "next_url": page.url(
                "report-transactions",
                outcome=asked.outcome,
                producer=asked.producer_id,
                after=rows[-1]["start_offset"],
            )
            if has_more
            else None,
            "committed_url": page.url("report-records", isolation="read_committed"),
            "records_url": page.url("report-records"),
        },
    )


@report_page
def transactions_figure(page: Page) -> HttpResponse:
    """{figure, notes} of the whole partition."""
    first, last = page.bounds
    rows = spans_between(page.partition, first, last, committed_before(page))
    spans = chart.TransactionSpans(rows, first, last, page.sight.last_stable_offset)
    notes = []
    if rows and rows[0]["all_spans"] > len(rows):
        notes.append(
            f"{DRAWN:,} of {rows[0]['all_spans']:,} transactions are drawn, those not committed first."
        )
    figure = chart.figure(spans, theme_of(page.request)) if rows else None
    answer: dict[str, Any] = {"figure": figure, "notes": notes}
    return figure_response(page.request, answer)


def read_asked(page: Page) -> TransactionsAsked:
    """The list's filters from the address."""
    asked = page.request.GET
    outcome = asked.get("outcome", "")
    after = whole_number(asked.get("after"))
    return TransactionsAsked(
        outcome if outcome in OUTCOMES else "",
        whole_number(asked.get("producer")),
        -1 if after is None else after,
        committed_before(page),
    )


def committed_before(page: Page) -> int | None:
    """Where readers of committed data stop, if the page is to show what they get; else None."""
    if not page.reader.committed:
        return None
    stable = page.sight.last_stable_offset
    return page.bounds[1] + 1 if stable is None else stable
