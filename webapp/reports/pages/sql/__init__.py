"""SQL: a query over the report's tables, which a process of its own answers (`spark.tables.sql`). A share has no such page.

A query is sent in the body of a request, never in an address. The audit log has its length and a hash of it, never its text.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Any

from django.http import HttpResponse
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from spark.tables.sql.ask import SqlAnswer, SqlBounds, SqlError, ask
from spark.tables.sql.examples import EXAMPLES
from spark.tables.sql.schema import tables_of
from spark.tables.sql.statement import MAX_CHARACTERS
from webapp.accounts.roles import has_role
from webapp.audit.log import record
from webapp.reports.page import Page, report_form, report_page
from webapp.reports.pages import CHOICE, ReportAddress, ReportPage
from webapp.reports.pages.sql.rendered import rendered

ON_PAGE = SqlBounds(rows=500, seconds=10, size_bytes=16 << 20)
AT_ONCE = 2  # queries of one web process: each takes two cores
WAIT_SECONDS = 5
BUSY = "Other queries are running. Run this one again in a few seconds."
FORMATS = (("csv", "CSV"), ("json", "JSON"), ("parquet", "Parquet"))

_running = BoundedSemaphore(AT_ONCE)


@report_page
def sql(page: Page) -> HttpResponse:
    """The editor; `example=` fills it with a question."""
    chosen = page.request.GET.get("example", "")
    return page.render(
        "reports/sql.html", context(page, next((e.text for e in EXAMPLES if e.name == chosen), ""))
    )


@sensitive_post_parameters("query")
@report_form
def run(page: Page) -> HttpResponse:
    """The same page with the answer."""
    text = query_of(page)
    try:
        outcome: dict[str, Any] = {"answer": rendered(page, *answer_to(page, text, ON_PAGE))}
    except SqlError as error:
        outcome = {"error": error, "excerpt": excerpt(text, error)}
    return page.render("reports/sql.html", context(page, text) | outcome)


def query_of(page: Page) -> str:
    """As browsers send a text, with line feeds alone."""
    return page.request.POST.get("query", "").replace("\r\n", "\n").replace("\x00", "")


@sensitive_variables("text")
def answer_to(
    page: Page, text: str, bounds: SqlBounds, action: str = "sql.ran", **detail: Any
) -> tuple[SqlAnswer, float]:
    """The answer and its seconds; the audit log says beforehand that it was asked. Raises SqlError."""
    record(
        action,
        project_id=page.inspection.journal.project_id,
        target=page.inspection,
        characters=len(text),
        sha256=hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16],
        **detail,
    )
    with _a_turn():
        start = time.monotonic()
        answer = ask(page.results.manifest, text, bounds)
        return answer, time.monotonic() - start


@contextmanager
def _a_turn() -> Iterator[None]:
    if not _running.acquire(timeout=WAIT_SECONDS):
        raise SqlError(BUSY)
    try:
        yield
    finally:
        _running.release()


def excerpt(text: str, error: SqlError) -> tuple[str, str, str] | None:
    """The line with the mistake: before it, the word at its place, after it; None for a mistake without a place."""
    if not error.line:
        return None
    line = error.line_of(text)
    start, end = error.column - 1, error.column - 1 + error.length
    return line[:start][-80:], line[start:end][:80] or " ", line[end:][:80]


def context(page: Page, text: str) -> dict[str, Any]:
    tables = tables_of(page.results.count)
    return {
        "text": text,
        "run_url": page.url("report-sql-run"),
        "max_characters": MAX_CHARACTERS,
        "bounds": ON_PAGE,
        "examples": [
            (example.title, page.url("report-sql", example=example.name), example.text == text)
            for example in EXAMPLES
        ],
        "tables": [table for table in tables if table.rows != 0],
        "empty_tables": [table for table in tables if table.rows == 0],
        "downloads": [(title, page.url("report-sql-export", layout)) for layout, title in FORMATS]
        if has_role(page.request.user, "support", page.inspection.journal.project_id)
        else [],
    }


page = ReportPage(
    name="report-sql",
    path="sql/",
    view=sql,
    title="SQL",
    position=85,
    of_files=True,
    filters={"example": CHOICE},
    further=(ReportAddress("report-sql-run", "sql/run/", run),),
)
