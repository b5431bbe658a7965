"""Errors of the API: `{"error": sentence, "field"?, "position"?, "hint"?}` with the right status; and "it is what you have"."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied as Forbidden
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler

from webapp.rejected import Rejected
from webapp.reports.results import ResultsGone

NOT_HERE = "Not found, or you do not have permission to see it."
SIGN_IN = "Send a token: Authorization: Bearer jst_… Create one on the page Tokens."
GONE = "The results of this inspection no longer exist. Inspect the journal again."
HINTS = {
    412: "Read it again, look at what changed, and send the new ETag.",
    429: "Retry-After says how many seconds to wait.",
}


class NotModified(Exception):
    """What the caller has is what there is."""

    def __init__(self, etag: str) -> None:
        super().__init__(etag)
        self.etag = etag


class ApiError(exceptions.APIException):
    """Something about the request, in a sentence, with the field it is about, and the character of the field, from 1."""

    status_code: int = HTTPStatus.BAD_REQUEST

    def __init__(
        self,
        sentence: str,
        field: str = "",
        status: int = HTTPStatus.BAD_REQUEST,
        position: int | None = None,
    ) -> None:
        super().__init__(sentence)
        self.field = field
        self.position = position
        self.status_code = status


def answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler; None for what is a defect of ours."""
    if isinstance(error, NotModified):
        return Response(status=HTTPStatus.NOT_MODIFIED, headers={"ETag": error.etag})
    error = _as_api_error(error)
    response = exception_handler(error, context)
    if response is not None:
        response.data = _document(error, response)
    return response


def _as_api_error(error: Exception) -> Exception:
    if isinstance(error, Rejected):
        return ApiError(str(error), status=error.status)
    if isinstance(error, ResultsGone):
        return ApiError(GONE, status=HTTPStatus.GONE)
    if isinstance(error, Forbidden):
        return exceptions.PermissionDenied(str(error) or "You do not have permission for this.")
    return exceptions.NotFound(NOT_HERE) if isinstance(error, Http404) else error


def _document(error: Exception, response: Response) -> dict[str, Any]:
    field, sentence = _sentence(error)
    document: dict[str, Any] = {"error": sentence}
    if field:
        document["field"] = field
    if (position := getattr(error, "position", None)) is not None:
        document["position"] = position
    if hint := HINTS.get(response.status_code):
        document["hint"] = hint
    return document


def _sentence(error: Exception) -> tuple[str, str]:
    if isinstance(error, exceptions.ValidationError):
        return _first(error.detail)
    if isinstance(error, exceptions.NotAuthenticated):
        return "", SIGN_IN
    if isinstance(error, exceptions.Throttled):
        return (
            "",
            f"Too many requests in the last minute. Retry in {max(1, int(getattr(error, 'wait', None) or 1))} seconds.",
        )
    return getattr(error, "field", ""), str(getattr(error, "detail", error))


def _first(detail: Any, field: str = "") -> tuple[str, str]:
    """The first complaint with the path of its field: `files.2.size`."""
    if isinstance(detail, dict):
        name, inner = next(iter(detail.items()))
        name = "" if name == "non_field_errors" else str(name)
        return _first(inner, ".".join(filter(None, [field, name])))
    if isinstance(detail, list):
        number, inner = next(((n, item) for n, item in enumerate(detail) if item), (0, "It is unreadable."))
        is_nested = isinstance(inner, dict)
        return _first(inner, f"{field}.{number}" if is_nested else field)
    return field, f"{field}: {detail}" if field else str(detail)


@extend_schema(exclude=True)
class MissingView(APIView):
    """Any other address of the API: 404 as JSON, after it is known who asks."""

    def get(self, request: Request, rest: str) -> Response:
        """404."""
        raise Http404

    post = put = patch = delete = get
