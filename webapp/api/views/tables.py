"""Pages over the result tables of an inspection: records, keys, entries, state, transactions, gaps and the others."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.api.base import ApiView, query, results_of, tagged
from webapp.api.cursors import next_url, not_ours, read_cursor
from webapp.api.errors import Wrong
from webapp.api.records import page_of_records, whole
from webapp.api.serializers.pages import page_shape
from webapp.api.serializers.tables import OfPlace, RecordsQuery, query_shape, row_shape, shown
from webapp.api.tables import LISTED, Listed, Start, page_of_table, places_of
from webapp.reports.queries.isolation import IsolationView, restrictions, view_options
from webapp.reports.results import Place, Results
from webapp.reports.views.records import asked_of, read_time

RecordShape = row_shape(
    "records",
    kind=serializers.CharField(allow_null=True, help_text="what it does to its key"),
    entity_id=serializers.CharField(allow_null=True, help_text="what the dialect says it is about"),
    decode_error=serializers.CharField(allow_null=True, help_text="why the dialect could not read it"),
)


class RecordsView(ApiView):
    """Records."""

    @extend_schema(parameters=[RecordsQuery], responses=page_shape(RecordShape), summary="Records")
    def get(self, request: Request, inspection_id: UUID) -> Response:
        """In the order of topic, partition, copy and offset. With `value` a page may be empty before the last."""
        asked = query(request, RecordsQuery)
        _insist_on_times(asked)
        with results_of(request, inspection_id) as (_, results, etag):
            places = _chosen(places_of(results, "lifelines"), asked)
            number, after = _start_of_records(request, places)
            rows: list[dict[str, Any]] = []
            following: list[Any] | None = None
            while number < len(places) and not rows and following is None:
                seen = _seen(results, places[number], asked)
                wanted = asked_of({name: str(value) for name, value in asked.items()})
                found = page_of_records(seen, places[number], wanted, after, asked["limit"])
                rows = found.rows
                following = None if found.after is None else [number, found.after]
                number, after = number + 1, None
            if following is None and number < len(places):
                following = [number]
        return tagged({"results": [shown(row) for row in rows], "next": next_url(request, following)}, etag)


class RecordView(ApiView):
    """One record."""

    @extend_schema(
        parameters=[OfPlace],
        responses=RecordShape(many=True),
        summary="The record at an offset",
        operation_id="inspections_record_retrieve",
    )
    def get(self, request: Request, inspection_id: UUID, offset: int) -> Response:
        """A list: copies of a partition, and damaged logs, may hold several."""
        asked = query(request, OfPlace)
        with results_of(request, inspection_id) as (_, results, etag):
            places = _chosen(places_of(results, "records"), asked)
            rows = [row for place in places for row in whole(results, place, [offset])]
        if not rows:
            raise Http404
        return tagged([shown(row) for row in rows], etag)


class TableView(ApiView):
    """One table; `listed` says which."""

    listed: ClassVar[Listed]
    address: ClassVar[str]

    def _page(self, request: Request, inspection_id: UUID) -> Response:
        asked = query(request, query_shape(self.listed))
        with results_of(request, inspection_id) as (_, results, etag):
            is_placed = self.listed.is_placed
            places = _chosen(places_of(results, self.listed.table), asked) if is_placed else []
            start = _start(request)
            rows, following = page_of_table(results, self.listed, asked, places, start, asked["limit"])
        told = {
            "results": [shown(row) for row in rows],
            "next": next_url(request, following and following.cursor()),
        }
        return tagged(told, etag)


def _view_of(listed: Listed) -> type[TableView]:
    @extend_schema(
        parameters=[query_shape(listed)],
        responses=page_shape(row_shape(listed.table)),
        summary=listed.text,
        operation_id=f"inspections_{listed.address or listed.table}_list",
    )
    def get(self: TableView, request: Request, inspection_id: UUID) -> Response:
        return self._page(request, inspection_id)

    get.__doc__ = "In the order of topic, partition, copy and offset."
    address = listed.address or listed.table
    members = {"get": get, "listed": listed, "address": address, "__doc__": listed.text}
    return type(f"{address.title()}View", (TableView,), members)


TABLE_VIEWS = [_view_of(listed) for listed in LISTED]


def _chosen(places: list[Place], asked: dict[str, Any]) -> list[Place]:
    wanted = {name: asked[name] for name in ("topic", "partition", "replica") if name in asked}
    return [place for place in places if all(getattr(place, name) == value for name, value in wanted.items())]


def _seen(results: Results, place: Place, asked: dict[str, Any]) -> Results:
    """The tables as a consumer of this isolation level sees them, now or after the next compaction."""
    reader = IsolationView(asked.get("isolation") == "read_committed", bool(asked.get("cleaned")))
    parts = restrictions(reader, view_options(results, place))
    return results.restricted(parts) if parts else results


def _insist_on_times(asked: dict[str, Any]) -> None:
    for name in ("since", "until"):
        if name in asked and read_time(asked[name]) is None:
            raise Wrong(f"“{asked[name]}” is not a time such as 2024-02-06 10:30.", name)


def _start(request: Request) -> Start:
    values = read_cursor(request)
    if values is None:
        return Start()
    number, value, skip = (*values, None, 0)[:3] if len(values) in (1, 3) else (-1, None, 0)
    if not isinstance(number, int) or not isinstance(skip, int) or number < 0 or not 0 <= skip < 2**31:
        raise not_ours()
    if value is not None and (not isinstance(value, int) or not -(2**63) <= value < 2**63):
        raise not_ours()
    return Start(number, value, skip)


def _start_of_records(request: Request, places: list[Place]) -> tuple[int, int | None]:
    start = _start_pair(read_cursor(request))
    if start[0] < 0:
        raise not_ours()
    return start


def _start_pair(values: list[Any] | None) -> tuple[int, int | None]:
    if values is None:
        return 0, None
    is_ours = 1 <= len(values) <= 2 and all(isinstance(value, int) and abs(value) < 2**62 for value in values)
    return (values[0], values[1] if len(values) == 2 else None) if is_ours else (-1, None)
