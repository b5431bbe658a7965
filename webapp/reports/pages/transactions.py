"""Transactions: who wrote what under which outcome, where readers of committed data stop, and who will see what."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse

from webapp.reports.charts import transactions as chart
from webapp.reports.figures import figure_response, theme_of
from webapp.reports.page import Page, report_page
from webapp.reports.pages import DISPLAY, POSITION, RECORD_TABLES, ReportAddress, ReportPage
from webapp.reports.paging import whole_number
from webapp.reports.queries.transactions import (
    DRAWN,
    OUTCOMES,
    TransactionsQuery,
    aborted_records,
    count_by_outcome,
    hidden_from,
    list_transactions,
    producers_of,
    records_outside,
    spans_between,
)


@report_page
def transactions(page: Page) -> HttpResponse:
    """The figure, what each isolation level delivers, and the list."""
    query = read_query(page)
    rows, has_more = list_transactions(page.partition, query)
    everything = count_by_outcome(page.partition, TransactionsQuery())
    fitting = count_by_outcome(page.partition, query)
    stable = page.options.last_stable_offset
    return page.render(
        "reports/transactions.html",
        {
            "asked": query,
            "rows": rows,
            "outcomes": [
                (name, chart.LOOKS[name]["name"], everything[name]) for name in OUTCOMES if name in everything
            ],
            "outside": records_outside(page.partition) if everything else None,
            "total": sum(row["transactions"] for row in everything.values()),
            "fitting": sum(row["transactions"] for row in fitting.values()),
            "producers": producers_of(page.partition),
            "sight": page.options,
            "hidden": None if stable is None else hidden_from(page.partition, stable),
            "hidden_url": None if stable is None else page.url("report-records", first=stable),
            "aborted": aborted_records(page.partition) if "aborted" in everything else None,
            "figure_url": page.url("report-transactions-figure"),
            "clear_url": page.url("report-transactions"),
            "next_url": page.url(
                "report-transactions",
                outcome=query.outcome,
                producer=query.producer_id,
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
    """`figure` and `notes` of the whole partition."""
    first, last = page.bounds
    rows = spans_between(page.partition, first, last, committed_before(page))
    spans = chart.TransactionSpans(rows, first, last, page.options.last_stable_offset)
    notes = []
    if rows and rows[0]["all_spans"] > len(rows):
        notes.append(
            f"{DRAWN:,} of {rows[0]['all_spans']:,} transactions are drawn, those not committed first."
        )
    figure = chart.figure(spans, theme_of(page.request)) if rows else None
    answer: dict[str, Any] = {"figure": figure, "notes": notes}
    return figure_response(page.request, answer)


def read_query(page: Page) -> TransactionsQuery:
    params = page.request.GET
    outcome = params.get("outcome", "")
    after = whole_number(params.get("after"))
    return TransactionsQuery(
        outcome if outcome in OUTCOMES else "",
        whole_number(params.get("producer")),
        -1 if after is None else after,
        committed_before(page),
    )


def committed_before(page: Page) -> int | None:
    """End of what read_committed delivers, if the page shows that isolation level; else None."""
    if not page.reader.committed:
        return None
    stable = page.options.last_stable_offset
    return page.bounds[1] + 1 if stable is None else stable


page = ReportPage(
    name="report-transactions",
    path="transactions/",
    view=transactions,
    title="Transactions",
    position=70,
    tables=RECORD_TABLES,
    filters={"outcome": DISPLAY, "producer": DISPLAY, "after": POSITION},
    reader="marks",
    shared=True,
    further=(
        ReportAddress(
            "report-transactions-figure",
            "transactions/figure.json",
            transactions_figure,
            reader="marks",
            shared=True,
        ),
    ),
)
