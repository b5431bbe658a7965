"""The download of a query's answer, for those who may export records."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.views.decorators.debug import sensitive_post_parameters

from spark.tables.sql.ask import SqlAnswer, SqlBounds, SqlError
from webapp.reports.page import Page, report_form
from webapp.reports.pages.sql import answer_to, query_of
from webapp.sharing.exports.query_files import QUERY_FILES
from webapp.sharing.exports.views import require_exporting

IN_FILE = SqlBounds(rows=100_000, seconds=20, size_bytes=64 << 20)


@sensitive_post_parameters("query")
@report_form
def export(page: Page, layout: str) -> HttpResponse:
    """The query is asked again, for more rows than the page shows."""
    if layout not in QUERY_FILES:
        raise Http404("There is no such export.")
    require_exporting(page)
    text, form = query_of(page), QUERY_FILES[layout]
    try:
        answer, _ = answer_to(page, text, IN_FILE, "export.made", what="sql", layout=layout)
    except SqlError as error:
        return HttpResponse(f"{error.with_place}\n", status=400, content_type="text/plain; charset=utf-8")
    headers = {
        "Content-Disposition": f'attachment; filename="{file_name(page, answer)}.{layout}"',
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(form.written(answer.rows, text), content_type=form.media_type, headers=headers)


def file_name(page: Page, answer: SqlAnswer) -> str:
    """Of an answer that is cut with the number of rows that the file has."""
    return f"{page.slug}-sql" + (f"-first-{answer.rows.num_rows}-rows" if answer.cut else "")
