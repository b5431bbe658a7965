"""Answers are JSON, whatever a browser or a script says it accepts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request


class AlwaysJson(BaseContentNegotiation):
    """The first of each."""

    def select_parser(self, request: Request, parsers: Sequence[Any]) -> Any:
        """By the body's type; 415 where there is none for it."""
        kind = str(request.content_type).partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == kind), None)

    def select_renderer(self, request: Request, renderers: Sequence[Any], format_suffix: Any = None) -> Any:
        """JSON."""
        return renderers[0], renderers[0].media_type
