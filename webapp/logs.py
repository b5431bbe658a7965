"""How log lines look: text for people, JSON lines with LOG_FORMAT=json; the request's id in each.

A line never holds a payload or a token: links' tokens are masked in every message, of what code attaches to a line
only known fields are kept, and of an exception only its type and place, unless its words are the system's own.
With DEBUG=1 exceptions are told whole.
"""

from __future__ import annotations

import logging
import re
import traceback
from types import TracebackType
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from spark.terms.visible import one_line, visible

# /s/<token>/..., /accounts/once/<token>/, invitations; also as the `next` of a sign-in's address
TOKENS = re.compile(
    r"((?:/|%2F)(?:s|once|invite|invitation|invitations|join)(?:/|%2F))[^/\s?\"'>%&]+", re.IGNORECASE
)
FIELDS = {"method", "path", "view", "status", "seconds", "user", "task", "about", "outcome", "request_id"}
OWN_WORDS = (
    "OSError",
    "RedisError",
    "OperationalError",
    "ImproperlyConfigured",
    "Rejected",
    "NetworkBlocked",
)
ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def masked(text: str) -> str:
    """The text without tokens of links."""
    return TOKENS.sub(r"\1***", text)


class RedactingFilter(logging.Filter):
    """On the handler, so that it covers lines of libraries."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add the request id and mask the message."""
        from webapp import tracing

        if isinstance(record.args, dict) and record.name.startswith("celery") and not _tells_all():
            record.args = record.args | _only_type(record.args)
        record.args = on_a_line(record.args)
        record.msg, record.args = visible(masked(record.getMessage())), ()
        # Django's own line about an answer comes when the request is over
        of_request = getattr(getattr(record, "request", None), "request_id", "")
        record.request_id = tracing.request_id() or of_request
        return True


class Text(logging.Formatter):
    def formatException(self, ei: Any) -> str:  # noqa: N802
        """Type and location, never the message."""
        return visible(describe(ei))


class Json(JsonFormatter):
    """One JSON object per line: time, level, logger, message, request_id and the known fields."""

    def __init__(self) -> None:
        super().__init__(
            "%(levelname)s %(name)s %(message)s",
            rename_fields={"levelname": "level", "name": "logger", "exc_info": "exception"},
            timestamp="time",
        )

    def add_fields(
        self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]
    ) -> None:
        """Drops fields that are not known."""
        super().add_fields(log_data, record, message_dict)
        names = FIELDS | {"time", "level", "logger", "message", "exception"}
        for name in set(log_data) - names:
            del log_data[name]

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """Type and location, never the message."""
        return describe(ei)


def on_a_line(args: Any) -> Any:
    """Arguments without line feeds, so that a name cannot forge a log line."""
    if isinstance(args, dict):
        return {name: one_line(value) if isinstance(value, str) else value for name, value in args.items()}
    return tuple(one_line(value) if isinstance(value, str) else value for value in args) if args else args


def describe(info: ExcInfo) -> str:
    """Types and locations of an exception and its causes; messages only of exceptions that never quote data."""
    if info[1] is None:
        return ""
    if _tells_all():
        return "".join(traceback.format_exception(info[1])).rstrip()
    parts: list[str] = []
    problem: BaseException | None = info[1]
    while problem is not None and len(parts) < 20:
        parts.append("".join(traceback.format_tb(problem.__traceback__)) + _named(problem))
        problem = problem.__cause__ or (None if problem.__suppress_context__ else problem.__context__)
    return "\nbecause of\n".join(parts)


def _named(problem: BaseException) -> str:
    kind = type(problem)
    has_own_words = any(base.__name__ in OWN_WORDS for base in kind.__mro__)
    return f"{kind.__module__}.{kind.__qualname__}" + (f": {problem}" if has_own_words else "")


def _only_type(told_by_celery: dict[str, Any]) -> dict[str, Any]:
    """Celery puts the exception's message and traceback into its own message."""
    quoting = {"exc", "traceback", "args", "kwargs"}
    return dict.fromkeys(quoting & set(told_by_celery), "(see the exception)")


def _tells_all() -> bool:
    from django.conf import settings

    return bool(settings.DEBUG)
