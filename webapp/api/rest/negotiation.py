"""Answers are JSON, whatever a browser or a script says it accepts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request


class AlwaysJson(BaseContentNegotiation):
    """The first of each."""

    def select_parser(self, request: Request, parsers: Iterable[Any]) -> Any:
        """By the body's type; 415 where there is none for it."""
        kind = str(request.content_type).partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == kind), None)

    def select_renderer(self, request: Request, renderers: Iterable[Any], format_suffix: Any = None) -> Any:
        """JSON."""
        renderer = next(iter(renderers))
        return renderer, renderer.media_type
