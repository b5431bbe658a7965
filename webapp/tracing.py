"""One id for a request, the task it sends and that task's Spark jobs; and which request is being answered.

The id comes with X-Request-ID where it looks like one, else it is made here; every answer carries it. A task gets
it in its message's headers (webapp.celery_client, workers.tracing).
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

HEADER = "request_id"  # in Celery's messages
LOOKS_LIKE_ONE = re.compile(r"[0-9A-Za-z]{8,32}")
_id: ContextVar[str] = ContextVar("request_id", default="")
_request: ContextVar[HttpRequest | None] = ContextVar("request", default=None)


def request_id() -> str:
    """The id of what this thread is doing; empty where nobody gave one."""
    return _id.get()


def current_request() -> HttpRequest | None:
    """The request that this thread is answering."""
    return _request.get()


def fresh() -> str:
    """A new id."""
    return uuid.uuid4().hex


class traced:  # noqa: N801 (used as a function is)
    """What happens in the block belongs to this id. No generator: one that a dying worker leaves would end in any thread."""

    def __init__(self, given: str, request: HttpRequest | None = None) -> None:
        self._given = given, request

    def __enter__(self) -> None:
        given, request = self._given
        self._kept = _id.set(given), _request.set(request)

    def __exit__(self, *_: object) -> None:
        kept_id, kept_request = self._kept
        _id.reset(kept_id)
        _request.reset(kept_request)


def checked(text: str) -> str:
    """The id as we keep it: 8 to 32 letters and digits, a UUID's dashes left out; a fresh one for anything else."""
    bare = text.strip().replace("-", "")
    return bare if LOOKS_LIKE_ONE.fullmatch(bare) else fresh()


class RequestId:
    """First of all middleware: `request.request_id`, and the same in the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer within the id."""
        given = checked(request.headers.get("X-Request-ID", ""))
        request.request_id = given  # type: ignore[attr-defined]
        with traced(given, request):
            response = self.get_response(request)
        response["X-Request-ID"] = given
        return response
