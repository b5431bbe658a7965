"""The body of a request as JSON, within the bounds of `spark.codecs.json_text`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from spark.codecs import json_text


class JsonBody(JSONParser):
    """The framework's own, which lets a deep document end as a defect."""

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
