"""JSON of the API: how it is agreed on, read and written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import IO, Any

import orjson
from rest_framework.exceptions import ParseError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from spark.codecs import json_text

# what the framework itself writes in a way of its own: a time in UTC ends in Z
OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_NON_STR_KEYS


class AlwaysJson(BaseContentNegotiation):
    """The first of each: answers are JSON, whatever a browser or a script says it accepts."""

    def select_parser(self, request: Request, parsers: Iterable[Any]) -> Any:
        """By the body's type; 415 where there is none for it."""
        kind = str(request.content_type).partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == kind), None)

    def select_renderer(self, request: Request, renderers: Iterable[Any], format_suffix: Any = None) -> Any:
        """JSON."""
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class JsonBody(JSONParser):
    """The framework's own, which lets a deep document end as a defect; within the bounds of `json_text`."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Raises ParseError, which is 400."""
        try:
            document = super().parse(stream, media_type, parser_context)
            json_text.require_depth(document)
        except (RecursionError, json_text.TooDeep):
            raise ParseError(json_text.TOO_DEEP) from None
        return document


class FastJson(JSONRenderer):
    """The framework's JSON, by orjson: a record of many headers takes the standard library five times as long.

    What orjson refuses (numbers beyond 64 bits, lone surrogates) is escaped to ASCII.
    """

    ensure_ascii = True

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """UTF-8; nothing for None."""
        if data is None:
            return b""
        try:
            return orjson.dumps(data, default=self.encoder_class().default, option=OPTIONS)
        except TypeError:
            return bytes(super().render(data, accepted_media_type, renderer_context))
