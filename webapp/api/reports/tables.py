"""Reads of an inspection's results: the report, records, and pages over each of the other tables."""

from __future__ import annotations

import json
from typing import Any, ClassVar
from uuid import UUID

from django.http import Http404, HttpResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.api.reports.listed import LISTED, Listed, ListStart, page_of_table
from webapp.api.reports.record_pages import filter_of, page_of_records
from webapp.api.reports.results import IsolationView, ResultsResource, replicas_in, seen_by
from webapp.api.reports.rows import AnythingField, OneReplica, RecordsQuery, query_shape, row_shape
from webapp.api.reports.serializers import ReportShape
from webapp.api.rest.cursors import invalid_cursor, next_url, read_cursor
from webapp.api.rest.errors import ApiError
from webapp.api.rest.operation import operation
from webapp.reports.filters.former import read_time
from webapp.reports.queries.partitions import Facts, survey
from webapp.reports.urls import OFFSET
from webapp.reports.whole_rows import as_json, whole

RecordShape = row_shape(
    "records",
    kind=serializers.CharField(allow_null=True, help_text="effect of the record on its key"),
    entity_id=serializers.CharField(allow_null=True, help_text="entity, as the dialect reads it"),
    decode_error=serializers.CharField(allow_null=True, help_text="why the dialect could not read it"),
    decoded_key=AnythingField(
        allow_null=True, help_text="the key's JSON, or what a schema decodes; else null"
    ),
    decoded_value=AnythingField(
        allow_null=True,
        help_text="the value's JSON, what a schema decodes, or what the dialect read; else null",
    ),
)


class ReportViewSet(ResultsResource):
    """The report."""

    @operation("The report: what `inspect --json` of the command line prints", answer=ReportShape)
    def retrieve(self, request: Request, inspection_id: UUID) -> HttpResponse:
        """The command line's document, without its last line end and with `<` as an escape; docs/report.md explains it."""
        with self.results_of(inspection_id) as results:
            text = json.dumps(results.document | {"tables": None}, ensure_ascii=False)
        # half of a surrogate pair, from a broken name, is an escape in JSON too
        return HttpResponse(text.encode("utf-8", "backslashreplace"), content_type="application/json")


class RecordViewSet(ResultsResource):
    """Records."""

    lookup_url_kwarg = "offset"
    lookup_value_converter = OFFSET

    @operation("Records", query=RecordsQuery, page=RecordShape)
    def list(self, request: Request, inspection_id: UUID) -> Response:
        """In the order of topic, partition, copy and offset. With a filter that reads values a page may be empty before the last."""
        params = self.params
        _require_times(params)
        records = filter_of(params)
        with self.results_of(inspection_id) as results:
            replicas = replicas_in(results, "lifelines", params)
            number, after = _start_of_records(request)
            rows: list[dict[str, Any]] = []
            following: list[Any] | None = None
            while number < len(replicas) and not rows and following is None:
                view = seen_by(IsolationView.of(params), results.of(replicas[number]))
                facts = survey(results).facts.get(view.replica) or Facts()
                page = page_of_records(view, facts, records, after, params["limit"])
                rows = page.rows
                following = None if page.after is None else [number, page.after]
                number, after = number + 1, None
            if following is None and number < len(replicas):
                following = [number]
        return _page(request, rows, following)

    @operation(
        "The record at an offset",
        query=OneReplica,
        answer=RecordShape(many=True),
        id="inspections_record_retrieve",
    )
    def retrieve(self, request: Request, inspection_id: UUID, offset: int) -> Response:
        """A list: copies of a partition, and damaged logs, may hold several."""
        params = self.params
        with self.results_of(inspection_id) as results:
            replicas = replicas_in(results, "records", params)
            rows = [row for replica in replicas for row in whole(results.of(replica), [offset])]
        if not rows:
            raise Http404
        return Response([as_json(row) for row in rows])


class TableViewSet(ResultsResource):
    """One table; `listed` says which."""

    listed: ClassVar[Listed]

    def page_of(self, request: Request, inspection_id: UUID) -> Response:
        """The rows that the address asks for."""
        listed, params = self.listed, self.params
        with self.results_of(inspection_id) as results:
            replicas = replicas_in(results, listed.table, params) if listed.has_replicas else []
            start = _start(request)
            rows, following = page_of_table(results, listed, params, replicas, start, params["limit"])
        return _page(request, rows, following.cursor() if following else None)


def _table_view_set(listed: Listed) -> type[TableViewSet]:
    def list(self: TableViewSet, request: Request, inspection_id: UUID) -> Response:
        """In the order of topic, partition, copy and offset."""
        return self.page_of(request, inspection_id)

    declare = operation(
        listed.text,
        query=query_shape(listed),
        page=row_shape(listed.table),
        id=f"inspections_{listed.name}_list",
    )
    members = {"list": declare(list), "listed": listed, "__doc__": listed.text}
    return type(f"{listed.name.title()}ViewSet", (TableViewSet,), members)


TABLE_VIEW_SETS = {listed.name: _table_view_set(listed) for listed in LISTED}


def _page(request: Request, rows: list[dict[str, Any]], following: list[Any] | None) -> Response:
    return Response({"results": [as_json(row) for row in rows], "next": next_url(request, following)})


def _require_times(params: dict[str, Any]) -> None:
    for name in ("since", "until"):
        if name in params and read_time(params[name]) is None:
            raise ApiError(f"“{params[name]}” is not a time such as 2024-02-06 10:30.", name)


def _start(request: Request) -> ListStart:
    values = read_cursor(request)
    if values is None:
        return ListStart()
    number, value, skip = (*values, None, 0)[:3] if len(values) in (1, 3) else (-1, None, 0)
    if not isinstance(number, int) or not isinstance(skip, int) or number < 0 or not 0 <= skip < 2**31:
        raise invalid_cursor()
    if value is not None and (not isinstance(value, int) or not -(2**63) <= value < 2**63):
        raise invalid_cursor()
    return ListStart(number, value, skip)


def _start_of_records(request: Request) -> tuple[int, int | None]:
    values = read_cursor(request)
    if values is None:
        return 0, None
    is_ours = 1 <= len(values) <= 2 and all(isinstance(value, int) and abs(value) < 2**62 for value in values)
    if not is_ours or values[0] < 0:
        raise invalid_cursor()
    return values[0], values[1] if len(values) == 2 else None
