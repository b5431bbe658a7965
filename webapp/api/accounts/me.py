"""Who asks, and the browsers they are signed in with."""

from __future__ import annotations

from typing import Any

from allauth.usersessions.models import UserSession
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from rest_framework.request import Request

from webapp.accounts import sessions
from webapp.accounts.roles import projects_for_user
from webapp.api.accounts.serializers import MeShape, SessionShape, role_in
from webapp.api.models import Token
from webapp.api.rest.operation import operation
from webapp.api.rest.resource import Resource


class MeViewSet(Resource):
    """Who asks."""

    @operation("Current user and permissions", answer=MeShape)
    def retrieve(self, request: Request) -> dict[str, Any]:
        """User, scopes of the token, role in each project."""
        token = request.auth if isinstance(request.auth, Token) else None
        return {
            "user": request.user.get_username(),
            "scopes": token and token.scopes,
            "expires_at": token and token.expires_at,
            "roles": {
                project.slug: role_in(request.user, project) for project in projects_for_user(request.user)
            },
        }


class SessionViewSet(Resource):
    """Sessions."""

    @operation("Your sessions", scope="admin", page=SessionShape, order=("-last_seen_at", "-pk"))
    def list(self, request: Request) -> QuerySet[UserSession]:
        """The one seen last first. A token has no session."""
        _require_account(request)
        sessions.rows_of(request.user)  # forgets those that are over
        return UserSession.objects.filter(user=request.user)

    @operation("End your other sessions", scope="admin", status=204, id="me_sessions_end_others")
    def end_others(self, request: Request) -> None:
        """All but the one that asks; asked with a token, all."""
        _require_account(request)
        sessions.end(request._request, sessions.others(request.user))

    @operation("End one of your sessions", scope="admin", status=204, id="me_sessions_end")
    def destroy(self, request: Request, session_id: int) -> None:
        """That browser has to sign in again."""
        _require_account(request)
        sessions.end(request._request, [sessions.get_own_session(request.user, session_id)])


def _require_account(request: Request) -> None:
    """Sessions belong to the account: a token for one project gets 403."""
    if isinstance(request.auth, Token) and request.auth.project_id is not None:
        raise PermissionDenied(
            "This token is for one project. Use one for all your projects, or the page Sessions."
        )
