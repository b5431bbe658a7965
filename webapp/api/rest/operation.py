"""An operation: what it is called, the scope it needs, what goes in and what comes out, said once.

    @operation("Write a rule", scope="review", body=NewRule, answer=RuleShape, status=201)
    def create(self, request, slug): ...      # returns the rule; the operation makes the answer of it

The OpenAPI document (`schema.py`), the check of a token's scope, the reading of query and body and the answer use the same declaration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer, Serializer

from webapp.api.rest.pages import Paging, page_shape

Shape = type[BaseSerializer[Any]]
Answering = Callable[..., HttpResponseBase]

NEWEST_FIRST = ("-created_at", "-pk")


@dataclass(frozen=True)
class Operation:
    """What is declared of one method; `order` is that of a page, its last column unique."""

    summary: str = ""
    scope: str = "read"
    query: type[Serializer[Any]] | None = None
    body: Any = None
    answer: Shape | BaseSerializer[Any] | None = None
    page: type[Serializer[Any]] | None = None
    order: tuple[str, ...] = ("pk",)
    status: int = 200
    media_type: str = ""  # of an answer that is a file
    id: str | None = None
    max_body_bytes: int = 32 << 20

    @property
    def params(self) -> type[Serializer[Any]] | None:
        """The serializer of the address's query."""
        return self.query or (Paging if self.page else None)

    @property
    def responses(self) -> dict[Any, Any]:
        """For the OpenAPI document."""
        if self.media_type:
            return {(self.status, self.media_type): OpenApiTypes.BINARY}
        return {self.status: page_shape(self.page) if self.page else self.answer}


NOTHING_DECLARED = Operation()


def operation(summary: str, **members: Any) -> Callable[[Callable[..., Any]], Answering]:
    """Declares a method of a Resource; stands below DRF's `@action`."""

    def declare(method: Callable[..., Any]) -> Answering:
        @wraps(method)
        def answering(view: Any, request: Request, **kwargs: Any) -> HttpResponseBase:
            return view.answer(method(view, request, **kwargs))

        answering.operation = Operation(summary, **members)  # type: ignore[attr-defined]
        return answering

    return declare


def operation_of(view: Any, http_method: str) -> Operation:
    """What is declared of the method that answers; nothing where none does. OPTIONS is asked of reading."""
    actions = getattr(view, "action_map", None) or {}
    name = actions.get("get" if http_method in ("HEAD", "OPTIONS") else http_method.lower(), "")
    return getattr(getattr(view, name, None), "operation", NOTHING_DECLARED)
