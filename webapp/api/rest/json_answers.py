"""Answers as JSON, written by orjson: a record of many headers takes the standard library five times as long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from rest_framework.renderers import JSONRenderer

# what the framework itself writes in a way of its own: a time in UTC ends in Z
OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_NON_STR_KEYS


class FastJson(JSONRenderer):
    """The framework's JSON; what orjson refuses (numbers beyond 64 bits, lone surrogates) is escaped to ASCII."""

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
