"""Sessions: which browsers somebody is signed in with, and when each was last seen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from allauth.usersessions.internal.flows.sessions import end_sessions
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone

from webapp.audit import log

SEEN_SECONDS = 300  # a request that writes is a request that waits: once in five minutes is near enough

BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


class SessionTracker:
    """Records address, browser and last request of each session."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Recorded before the view, so that the list of sessions contains the current one."""
        if self._is_due(request):
            UserSession.objects.create_from_request(request)
        return self.get_response(request)

    def _is_due(self, request: HttpRequest) -> bool:
        """For browsers only: a program with a token has no session."""
        key, is_program = request.session.session_key, getattr(request, "token", None) is not None
        if not key or is_program or not request.user.is_authenticated:
            return False
        return bool(cache.add(f"seen:{request.user.pk}:{key}", 1, SEEN_SECONDS))


def browser_of(user_agent: str) -> str:
    """`Firefox on Linux`, or the start of an unknown User-Agent."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    return " on ".join(filter(None, (browser, system))) or user_agent[:60] or "unknown"


def rows_of(user: Any) -> list[dict[str, Any]]:
    """Sessions of a user, last used first."""
    alive = UserSession.objects.purge_and_list(user)
    return [
        {"session": session, "browser": browser_of(session.user_agent)}
        for session in sorted(alive, key=lambda session: session.last_seen_at, reverse=True)
    ]


def get_own_session(user: Any, session_id: int) -> UserSession:
    return get_object_or_404(UserSession, pk=session_id, user=user)


def others(user: Any) -> list[UserSession]:
    """The user's sessions except that of this request."""
    return [session for session in UserSession.objects.filter(user=user) if not session.is_current()]


def end(request: HttpRequest, chosen: list[UserSession]) -> None:
    """End these sessions; sign out if the request's own is one of them."""
    log.record("session.revoked", target=request.user, sessions=len(chosen))
    end_sessions(request, chosen)


def keep_end(session: SessionBase) -> None:
    """The session ends two weeks from now. With a number of seconds, every change of it would begin them anew."""
    session.set_expiry(timezone.now() + timedelta(seconds=settings.SESSION_COOKIE_AGE))


def remove_expired() -> None:
    """Sessions that no browser can use any more, and what is listed of them."""
    SessionStore.clear_expired()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
