"""Figures as JSON, compressed if the browser accepts it."""

from __future__ import annotations

import gzip
from typing import Any

import orjson
import plotly.graph_objects as go
from django.http import HttpRequest, HttpResponse

from webapp.middleware import inert
from webapp.reports.charts.look import Theme
from webapp.reports.queries.timeline.axis import PLOT_PIXELS

SMALL_BYTES = 2000
NARROWEST, WIDEST = 100, 4000
PHONE_PIXELS = 500  # a plot that is narrower is one of a phone
PHONE_STEP, STEP = 10, 50


def theme_of(request: HttpRequest) -> Theme:
    """The theme of the browser's request; the page requests the figure again when the theme changes."""
    return "dark" if request.GET.get("theme") == "dark" else "light"


def plot_pixels(request: HttpRequest) -> int:
    """Width of the plot in the browser that asks, in steps of 50, so that few widths are remembered; of a phone, where each word counts,
    in steps of 10."""
    text = request.GET.get("width", "")
    width = int(text) if text.isdecimal() and len(text) < 6 else PLOT_PIXELS
    step = PHONE_STEP if width < PHONE_PIXELS else STEP
    return max(NARROWEST, min(WIDEST, width // step * step))


def figure_response(request: HttpRequest, answer: dict[str, Any]) -> HttpResponse:
    """JSON response with the figure and the texts beside it; gzip where the browser accepts it."""
    body = inert(orjson.dumps(answer, default=_members, option=orjson.OPT_SERIALIZE_NUMPY))
    response = HttpResponse(content_type="application/json")
    if len(body) > SMALL_BYTES and "gzip" in request.headers.get("Accept-Encoding", ""):
        body = gzip.compress(body, 1)
        response["Content-Encoding"] = "gzip"
    response["Vary"] = "Accept-Encoding, Cookie"
    response.content = body
    return response


def _members(value: Any) -> dict[str, Any]:
    """JSON members of a Plotly figure, its arrays in base64."""
    if not isinstance(value, go.Figure):
        raise TypeError(type(value).__name__)
    members: dict[str, Any] = value.to_dict()
    return members
