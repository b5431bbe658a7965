"""What every operation of the schema has: a summary, the errors it may answer with, the token it takes."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import is_list_serializer
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from webapp.api.rest.operation import operation_of


class ErrorShape(serializers.Serializer[Any]):
    """What went wrong."""

    error = serializers.CharField(help_text="a sentence: what was wrong, where, what to do")
    field = serializers.CharField(required=False, help_text="of the request, where one is to blame")
    hint = serializers.CharField(required=False)


REASONS = {
    400: "Something about the request cannot be read.",
    401: "No token, or one that is unknown, expired or revoked.",
    403: "The role or the token's scopes do not go so far.",
    404: "There is nothing here that you may see.",
    405: "No such method here.",
    406: "Answers are JSON.",
    409: "It is not in a state for this.",
    410: "The results are gone.",
    412: "It changed after you read it.",
    413: "More than is taken.",
    415: "Bodies are JSON; of some addresses plain text.",
    429: "Too many requests in a minute.",
    503: "The queue cannot be reached, or there is no time for it.",
}
ERRORS = {status: OpenApiResponse(ErrorShape, why) for status, why in REASONS.items()}


class Documented(AutoSchema):
    """Adds the errors and the scope, so that views need not."""

    def _get_response_bodies(self, direction: str = "response") -> dict[str, Any]:
        """Those that the view names, and the errors."""
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for status, shape in ERRORS.items():
            bodies.setdefault(
                str(status), self._get_response_for_code(shape, str(status), direction=direction)
            )
        return bodies

    def get_description(self) -> str:
        """With the scope that a token needs."""
        text = super().get_description()
        return f"{text}\n\nScope: `{operation_of(self.view, self.method).scope}`".strip()

    def get_operation_id(self) -> str:
        """`journals_list` for what answers with a page, `journals_retrieve` for one."""
        name: str = super().get_operation_id()
        has_pages = operation_of(self.view, self.method).page is not None
        return name.replace("_retrieve", "_list") if has_pages else name

    def _is_list_view(self, serializer: Any = None) -> bool:
        """A page is one document: the method's name `list` makes no array of it."""
        return bool(is_list_serializer(serializer))


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Authorization: Bearer jst_..."""

    target_class = "webapp.api.rest.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """As OpenAPI says it."""
        return {"type": "http", "scheme": "bearer", "description": "A token of the page Tokens: `jst_…`"}
