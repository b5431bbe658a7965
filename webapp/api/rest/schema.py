"""What every operation of the schema has: a summary, the errors it may answer with, the token it takes."""

from __future__ import annotations

from typing import Any, Literal

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import is_list_serializer
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from webapp.api.rest.operation import Operation, operation_of


class ErrorShape(serializers.Serializer[Any]):
    """What went wrong."""

    error = serializers.CharField(help_text="a sentence: what was wrong, where, what to do")
    field = serializers.CharField(
        required=False, help_text="of the request that caused the error, if one did"
    )
    hint = serializers.CharField(required=False)


REASONS = {
    400: "The request is invalid.",
    401: "No token, or one that is unknown, expired or revoked.",
    403: "The role or the token's scopes do not allow this.",
    404: "Not found, or you do not have permission to see it.",
    405: "This address does not support the method.",
    406: "Answers are JSON.",
    409: "The current state does not allow this.",
    410: "The results no longer exist.",
    412: "It changed after you read it.",
    413: "The request is too large.",
    415: "Bodies are JSON, or plain text at some addresses.",
    429: "Too many requests in a minute.",
    503: "The queue is not available, or the server is busy.",
}
ERRORS = {status: OpenApiResponse(ErrorShape, why) for status, why in REASONS.items()}


class Documented(AutoSchema):
    """Reads what `@operation` declares; adds the errors that any of them may answer with."""

    def _get_response_bodies(self, direction: Literal["request", "response"] = "response") -> dict[str, Any]:
        """Those that the view names, and the errors."""
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for status, shape in ERRORS.items():
            bodies.setdefault(
                str(status),
                self._get_response_for_code(shape, str(status), direction=direction),  # type: ignore[no-untyped-call]
            )
        return bodies

    @property
    def declared(self) -> Operation:
        """What the method says of itself."""
        return operation_of(self.view, self.method)

    def get_summary(self) -> str:
        """In a few words."""
        return self.declared.summary

    def get_description(self) -> str:  # type: ignore[override]
        """With the scope that a token needs."""
        return f"{super().get_description()}\n\nScope: `{self.declared.scope}`".strip()

    def get_operation_id(self) -> str:
        """`journals_list` for what answers with a page, `journals_retrieve` for one."""
        name: str = super().get_operation_id()
        return self.declared.id or (name.replace("_retrieve", "_list") if self.declared.page else name)

    def get_override_parameters(self) -> list[Any]:
        """The address's query."""
        return [self.declared.params] if self.declared.params else []

    def get_request_serializer(self) -> Any:
        """The body."""
        return self.declared.body

    def get_response_serializers(self) -> Any:
        """The answer."""
        return self.declared.responses

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
