"""The browsers one is signed in with."""

from __future__ import annotations

from allauth.usersessions.models import UserSession
from django.core.exceptions import PermissionDenied
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts import sessions
from webapp.api.base import ApiView, listed
from webapp.api.models import Token
from webapp.api.serializers.pages import Paging, page_shape
from webapp.api.serializers.sessions import SessionShape

OF_ONESELF = {"GET": "admin", "DELETE": "admin"}


class SessionsView(ApiView):
    """Sessions."""

    scopes = OF_ONESELF

    @extend_schema(parameters=[Paging], responses=page_shape(SessionShape), summary="Your sessions")
    def get(self, request: Request) -> Response:
        """The one seen last first. A token has no session."""
        _insist_on_account(request)
        sessions.rows_of(request.user)  # forgets those that are over
        found = UserSession.objects.filter(user=request.user)
        return listed(request, found, SessionShape, ("-last_seen_at", "-pk"))

    @extend_schema(
        responses={204: None}, summary="End your other sessions", operation_id="me_sessions_end_others"
    )
    def delete(self, request: Request) -> Response:
        """All but the one that asks; asked with a token, all."""
        _insist_on_account(request)
        sessions.end(request._request, sessions.others(request.user))
        return Response(status=204)


class SessionView(ApiView):
    """One session."""

    scopes = OF_ONESELF

    @extend_schema(responses={204: None}, summary="End one of your sessions", operation_id="me_sessions_end")
    def delete(self, request: Request, session_id: int) -> Response:
        """That browser has to sign in again."""
        _insist_on_account(request)
        sessions.end(request._request, [sessions.get_own_session(request.user, session_id)])
        return Response(status=204)


def _insist_on_account(request: Request) -> None:
    """Sessions belong to the account, so a token for one project does not reach them."""
    if isinstance(request.auth, Token) and request.auth.project_id is not None:
        raise PermissionDenied(
            "This token is for one project. Use one for all your projects, or the page Sessions."
        )
