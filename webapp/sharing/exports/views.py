"""The download of records: of an inspection for those who may share, of a share for whoever opened it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
from django.conf import settings
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.utils.text import slugify

from webapp.accounts.access import require_role
from webapp.audit.log import record
from webapp.rejected import Rejected
from webapp.reports.filters.former import FILTERS
from webapp.reports.filters.line import filter_of
from webapp.reports.filters.reading import FilterError
from webapp.reports.logged_address import place_and_filters
from webapp.reports.page import Page, report_page
from webapp.sharing.exports import ndjson, parquet, readme, sheet
from webapp.sharing.exports.archive import streamed
from webapp.sharing.exports.chosen import ChosenRecords, choose, portions

Pieces = Iterator[tuple[bytes, int]]


@dataclass(frozen=True)
class ExportLayout:
    """A format of exports."""

    name: str
    title: str
    written: Callable[[Iterable[pa.Table], str], Pieces]
    how: str
    is_packed: bool = False


LAYOUTS = {
    layout.name: layout
    for layout in (
        ExportLayout("csv", "CSV", lambda rows, about: sheet.written(rows), sheet.HOW),
        ExportLayout("ndjson", "NDJSON (kcat)", lambda rows, about: ndjson.written(rows), ndjson.HOW),
        ExportLayout("parquet", "Parquet", parquet.written, parquet.HOW, is_packed=True),
    )
}


@report_page
def export(page: Page, layout: str) -> HttpResponse | StreamingHttpResponse:
    """The records that match the filters of the Records page."""
    if layout not in LAYOUTS:
        raise Http404("There is no such export.")
    require_exporting(page)
    try:
        chosen = choose(page.partition, filter_of(page), settings.EXPORT_MAX_RECORDS)
    except (FilterError, Rejected) as problem:
        text = problem.with_place if isinstance(problem, FilterError) else str(problem)
        return HttpResponse(f"{text}\n", status=400, content_type="text/plain; charset=utf-8")
    name = file_name(page, LAYOUTS[layout].name)
    if page.request.method == "HEAD":
        return _download(b"", name)
    query = page.request.GET.dict()
    keep(page, what="records", layout=layout, records=chosen.count, **place_and_filters({}, query))
    return _download(_made(page, LAYOUTS[layout], chosen), name)


def require_exporting(page: Page) -> None:
    """403 for who may only read. A share was opened by its own door, and holds what its reader may have."""
    inspection = page.source.inspection
    if inspection is not None:
        require_role(page.request.user, "support", inspection.journal.project_id)


def keep(page: Page, **detail: Any) -> None:
    """Log the export, for the inspection or the share."""
    source = page.source
    target = source.share or source.inspection
    project = source.share.project_id if source.share else page.inspection.journal.project_id
    record("export.made", project_id=project, target=target, **detail)


def file_name(page: Page, ending: str) -> str:
    """From journal, partition and `records`; `filtered` and `redacted` if it is."""
    parts = [page.slug, slugify(page.replica.name.replace(".", " "))[:80], "records"]
    is_part = any(page.request.GET.get(name) for name in FILTERS) or page.reader.query
    parts += ["filtered"] if is_part else []
    parts += ["redacted"] if page.source.hidden or page.source.share else []
    return f"{'-'.join(part for part in parts if part)}.{ending}.zip"


def _made(page: Page, layout: ExportLayout, chosen: ChosenRecords) -> Iterator[bytes]:
    """Runs after the view: what it needs of the page is taken now, the tables are opened anew."""
    lines = readme.about(page, chosen, timezone.now())
    rows = portions(page.source.results, page.replica, chosen, page.source.hidden, page.source.decodes)
    pieces = layout.written(rows, "\n".join(lines))
    finish = partial(readme.render, lines, how=layout.how)
    return streamed(f"records.{layout.name}", pieces, finish, layout.is_packed)


def _download(content: bytes | Iterator[bytes], name: str) -> HttpResponse | StreamingHttpResponse:
    kind = HttpResponse if isinstance(content, bytes) else StreamingHttpResponse
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return kind(content, content_type="application/zip", headers=headers)
