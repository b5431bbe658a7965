"""What views of the API share: input checked by its serializer, ETags, results opened for whoever may see them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.forms import BaseForm
from django.utils.http import parse_etags, quote_etag
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from webapp.api.cursors import page_of
from webapp.api.errors import NotModified, Wrong
from webapp.api.serializers.pages import Paging
from webapp.journals.access import get_inspection_for_user
from webapp.journals.models import Inspection
from webapp.reports.results import Results, open_results

VERSION = 1  # of what answers look like; part of every ETag
CHANGED = "Somebody changed it after you read it, so nothing was done."


class ApiView(APIView):
    """`scopes`: what a token needs, by method; reading needs `read` where nothing is said."""

    scopes: ClassVar[dict[str, str]] = {}
    most_body_bytes = 32 << 20

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Before anything is read."""
        super().initial(request, *args, **kwargs)
        length = request.headers.get("Content-Length", "")
        if length.isdecimal() and int(length) > self.most_body_bytes:
            raise Wrong(
                f"The body has more than the {self.most_body_bytes >> 20} MB that are taken.", status=413
            )


def body(request: Request, kind: type[Serializer[Any]]) -> dict[str, Any]:
    """The request's body, checked."""
    serializer = kind(data=request.data)
    serializer.is_valid(raise_exception=True)
    checked: dict[str, Any] = serializer.validated_data
    return checked


def query(request: Request, kind: type[Serializer[Any]]) -> dict[str, Any]:
    """The address's query, checked; what is not known is left out."""
    given = {name: value for name, value in request.query_params.items() if value != ""}
    serializer = kind(data=given)
    serializer.is_valid(raise_exception=True)
    checked: dict[str, Any] = serializer.validated_data
    return checked


def listed(
    request: Request,
    found: QuerySet[Any],
    shape: type[Serializer[Any]],
    order: tuple[str, ...] = ("pk",),
    asked: dict[str, Any] | None = None,
) -> Response:
    """The page of these rows that the address asks for; `asked`: its query, where the view has checked it already."""
    limit = (asked or query(request, Paging))["limit"]
    return Response(page_of(found, request, limit, lambda one: shape(one).data, order))


def insist_on_valid(form: BaseForm) -> None:
    """400 with the form's first complaint."""
    if not form.is_valid():
        field, complaints = next(iter(form.errors.items()))
        raise Wrong(str(complaints[0]), field)


def etag_of(*parts: object) -> str:
    """A strong ETag."""
    text = "\0".join(map(str, (VERSION, *parts)))
    return quote_etag(hashlib.sha256(text.encode()).hexdigest()[:32])


def insist_on_newer(request: Request, etag: str) -> None:
    """304 when the caller has it."""
    known = parse_etags(request.headers.get("If-None-Match", ""))
    if etag in known or "*" in known:
        raise NotModified(etag)


def insist_on_match(request: Request, etag: str) -> None:
    """412 when the caller read something else than what is there; without If-Match they take the risk."""
    wanted = request.headers.get("If-Match")
    if wanted is not None and wanted.strip() != "*" and etag not in parse_etags(wanted):
        raise Wrong(CHANGED, status=412)


def tagged(data: Any, etag: str, status: int = 200) -> Response:
    """An answer with what its reader compares it by, the next time."""
    return Response(data, status=status, headers={"ETag": etag})


def finished(request: Request, inspection_id: UUID) -> Inspection:
    """The inspection, done; 409 while it is on its way or when it failed."""
    inspection = get_inspection_for_user(request.user, inspection_id)
    if inspection.state != Inspection.State.DONE:
        raise Wrong(f"This inspection is {inspection.state}, so it has no results.", status=409)
    return inspection


@contextmanager
def results_of(request: Request, inspection_id: UUID) -> Iterator[tuple[Inspection, Results, str]]:
    """Inspection, open tables and ETag; 304 when the caller has them. Results never change once written."""
    inspection = finished(request, inspection_id)
    with open_results(inspection.results) as results:
        etag = etag_of(inspection.pk, results.version, results.document.get("schema"))
        insist_on_newer(request, etag)
        yield inspection, results, etag
