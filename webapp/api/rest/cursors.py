"""Pages by cursor: the next page begins behind the last row of this one, however many rows came in between."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from rest_framework.request import Request

from spark.codecs import json_text
from webapp.api.rest.errors import ApiError

PAGE_BYTES = 8 << 20  # of keys, values and headers: a page ends earlier than asked for rather than hold more


def within_page(sizes: Sequence[int]) -> int:
    """How many rows of these sizes a page holds: one at least, however large."""
    total = 0
    for number, size in enumerate(sizes):
        total += size
        if total > PAGE_BYTES:
            return max(1, number)
    return len(sizes)


def read_cursor(request: Request) -> list[Any] | None:
    """What the cursor of the address holds; None for the first page."""
    text = request.query_params.get("cursor", "")
    if not text:
        return None
    try:
        values = json_text.read(base64.urlsafe_b64decode(text.encode() + b"==="))
    except (binascii.Error, ValueError):
        raise invalid_cursor() from None
    if not isinstance(values, list) or not all(isinstance(value, str | int) for value in values):
        raise invalid_cursor()
    return values


def invalid_cursor() -> ApiError:
    """Error for a cursor that this API did not issue."""
    return ApiError("This cursor does not belong to this list. Start again without it.", "cursor")


def next_url(request: Request, values: list[Any] | None) -> str | None:
    """Address of the page after these values, with the same filters."""
    if values is None:
        return None
    text = base64.urlsafe_b64encode(json.dumps(values, separators=(",", ":")).encode()).decode().rstrip("=")
    query = [(name, value) for name, value in request.query_params.items() if name != "cursor"]
    return str(request.build_absolute_uri(f"{request.path}?{urlencode([*query, ('cursor', text)])}"))


def page_of(
    queryset: QuerySet[Any],
    request: Request,
    limit: int,
    serialize: Callable[[Any], Any],
    order: tuple[str, ...] = ("pk",),
) -> dict[str, Any]:
    """A page of rows in an order of columns that are never null, the last of them unique."""
    values = read_cursor(request)
    try:
        rows = list((_behind(queryset, order, values) if values else queryset).order_by(*order)[: limit + 1])
    except (ValidationError, ValueError, TypeError):
        raise invalid_cursor() from None
    last = (
        [_text(getattr(rows[limit - 1], name.lstrip("-"))) for name in order] if len(rows) > limit else None
    )
    return {"results": [serialize(row) for row in rows[:limit]], "next": next_url(request, last)}


def _behind(queryset: QuerySet[Any], order: tuple[str, ...], values: list[Any]) -> QuerySet[Any]:
    if len(values) != len(order):
        raise invalid_cursor()
    beyond = Q()
    equal: dict[str, Any] = {}
    for name, value in zip(order, values, strict=True):
        column = name.lstrip("-")
        beyond |= Q(**equal, **{f"{column}__{'lt' if name.startswith('-') else 'gt'}": value})
        equal[column] = value
    return queryset.filter(beyond)


def _text(value: Any) -> Any:
    if isinstance(value, int):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
