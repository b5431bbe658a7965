"""Who asks, and whether their token was made for it: a token (webapp.api.middleware) or the pages' session."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import UserRateThrottle

from webapp.accounts.roles import has_role
from webapp.api.middleware import CHALLENGE
from webapp.api.models import Token
from webapp.api.rest.operation import operation_of


class TokenAuthentication(BaseAuthentication):
    """The middleware has looked the token up."""

    def authenticate(self, request: Request) -> tuple[Any, Token] | None:
        """User and token; None where there is no token."""
        token: Token | None = getattr(request._request, "token", None)
        return (request._request.user, token) if token else None

    def authenticate_header(self, request: Request) -> str:
        """Makes the answer to a guest 401, not 403."""
        return CHALLENGE


class Allowed(BasePermission):
    """401 for guests, 404 for who has no role anywhere, 403 for a token that was not made for this."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Rows and roles are checked by the view itself, through each app's access.py."""
        if not request.user.is_authenticated:
            raise NotAuthenticated
        scope = operation_of(view, str(request.method)).scope
        if isinstance(request.auth, Token) and not request.auth.allows(scope):
            raise PermissionDenied(
                f"This token lacks the scope {scope}. Make one that has it on the page Tokens."
            )
        if not has_role(request.user, "viewer"):
            raise Http404
        return True


class PerCaller(UserRateThrottle):
    """So many requests a minute for each token, and for each user's sessions."""

    def get_rate(self) -> str:
        """API_REQUESTS_PER_MINUTE."""
        return f"{settings.API_REQUESTS_PER_MINUTE}/min"

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        """Guests get 401 before they are counted."""
        caller = request.auth.pk if isinstance(request.auth, Token) else request.user.pk
        return self.cache_format % {"scope": self.scope, "ident": caller} if caller else None
