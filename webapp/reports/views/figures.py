"""Figures as JSON, compressed where the browser takes it."""

from __future__ import annotations

import gzip
from typing import Any

import orjson
import plotly.graph_objects as go
from django.http import HttpRequest, HttpResponse

from webapp.reports.charts.look import Theme

SMALL_BYTES = 2000


def theme_of(request: HttpRequest) -> Theme:
    """The theme the browser shows right now; it asks again when that changes."""
    return "dark" if request.GET.get("theme") == "dark" else "light"


def figure_response(request: HttpRequest, answer: dict[str, Any]) -> HttpResponse:
    """JSON of a figure and what is said beside it."""
    body = orjson.dumps(answer, default=_members, option=orjson.OPT_SERIALIZE_NUMPY)
    response = HttpResponse(content_type="application/json")
    if len(body) > SMALL_BYTES and "gzip" in request.headers.get("Accept-Encoding", ""):
        body = gzip.compress(body, 1)
        response["Content-Encoding"] = "gzip"
    response["Vary"] = "Accept-Encoding, Cookie"
    response.content = body
    return response


def _members(value: Any) -> dict[str, Any]:
    """Of a figure, its numbers as typed arrays in base64."""
    if not isinstance(value, go.Figure):
        raise TypeError(type(value).__name__)
    members: dict[str, Any] = value.to_dict()
    return members
