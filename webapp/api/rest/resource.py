"""What all resources share: query and body checked when they are asked for, answers made of rows, ETags, bounds."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.db.models import QuerySet
from django.forms import BaseForm
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.viewsets import ViewSet

from webapp.api.rest.cursors import page_of
from webapp.api.rest.errors import ApiError
from webapp.api.rest.etags import require_newer
from webapp.api.rest.operation import Operation, operation_of


class Resource(ViewSet):
    """What all resources share. Methods return rows; `etag`, where they set it, goes with the answer."""

    lookup_value_converter = "uuid"
    etag = ""

    @property
    def operation(self) -> Operation:
        """The one that is asked for."""
        return operation_of(self, str(self.request.method))

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Before anything is read."""
        super().initial(request, *args, **kwargs)
        length, limit = request.headers.get("Content-Length", ""), self.operation.max_body_bytes
        if length.isdecimal() and int(length) > limit:
            raise ApiError(f"The body has more than the {limit >> 20} MB that are allowed.", status=413)

    @cached_property
    def params(self) -> dict[str, Any]:
        """The address's query, checked when it is first asked for; what is not known is left out."""
        sent = {name: value for name, value in self.request.query_params.items() if value != ""}
        return checked(self.operation.params or Serializer, sent)

    @cached_property
    def payload(self) -> dict[str, Any]:
        """The request's body, checked when it is first asked for."""
        return checked(self.operation.body, self.request.data)

    def tag(self, etag: str) -> None:
        """304 when the caller has what this ETag names; else it goes with the answer."""
        require_newer(self.request, etag)
        self.etag = etag

    def answer(self, outcome: Any) -> HttpResponseBase:
        """The rows of a page, one row or a finished answer, as the operation declares it."""
        response = outcome if isinstance(outcome, HttpResponseBase) else self._response(outcome)
        if self.etag:
            response.headers["ETag"] = self.etag
        return response

    def _response(self, outcome: Any) -> Response:
        declared, context = self.operation, {"request": self.request}
        if isinstance(outcome, QuerySet) and declared.page:
            shape = declared.page
            limit = self.params["limit"]
            data: Any = page_of(
                outcome, self.request, limit, lambda row: shape(row, context=context).data, declared.order
            )
        elif isinstance(declared.answer, type):
            data = declared.answer(outcome, context=context).data
        else:
            data = outcome
        return Response(data, declared.status)


def checked(shape: type[Serializer[Any]], data: Any) -> dict[str, Any]:
    """What was sent, as the serializer understands it; 400 with its first complaint."""
    serializer = shape(data=data)
    serializer.is_valid(raise_exception=True)
    return serializer.validated_data


def require_valid(form: BaseForm) -> None:
    """400 with the form's first complaint."""
    if not form.is_valid():
        field, complaints = next(iter(form.errors.items()))
        raise ApiError(str(complaints[0]), field)
