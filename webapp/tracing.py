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
    """The request that this thread answers."""
    return _request.get()


def fresh() -> str:
    return uuid.uuid4().hex


class traced:  # noqa: N801 (used as a function is)
    """What happens in the block belongs to this id. No generator: one that a dying worker leaves would end in any thread."""

    def __init__(self, id: str, request: HttpRequest | None = None) -> None:
        self._entered = id, request

    def __enter__(self) -> None:
        id, request = self._entered
        self._tokens = _id.set(id), _request.set(request)

    def __exit__(self, *_: object) -> None:
        id_token, request_token = self._tokens
        _id.reset(id_token)
        _request.reset(request_token)


def checked(text: str) -> str:
    """The id as we keep it: 8 to 32 letters and digits, a UUID's dashes left out; a fresh one for anything else."""
    bare = text.strip().replace("-", "")
    return bare if LOOKS_LIKE_ONE.fullmatch(bare) else fresh()


class RequestId:
    """First of all middleware: `request.request_id`, and the same in the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        id = checked(request.headers.get("X-Request-ID", ""))
        request.request_id = id  # type: ignore[attr-defined]
        with traced(id, request):
            response = self.get_response(request)
        response["X-Request-ID"] = id
        return response
