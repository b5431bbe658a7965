"""Sessions: which browsers somebody is signed in with, and when each was last seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.usersessions.models import UserSession
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse

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


class SeenNow:
    """Notes who is here, from where."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Before the page, so that the list of sessions has the one that asks for it."""
        if self._is_due(request):
            UserSession.objects.create_from_request(request)
        return self.get_response(request)

    def _is_due(self, request: HttpRequest) -> bool:
        """Of a browser: a program with a token has no session, whatever cookies it sends."""
        key, is_program = request.session.session_key, getattr(request, "token", None) is not None
        if not key or is_program or not request.user.is_authenticated:
            return False
        return bool(cache.add(f"seen:{request.user.pk}:{key}", 1, SEEN_SECONDS))


def browser_of(user_agent: str) -> str:
    """`Firefox on Linux`, or what it calls itself."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    return " on ".join(filter(None, (browser, system))) or user_agent[:60] or "unknown"


def rows_of(user: Any) -> list[dict[str, Any]]:
    """Sessions of a user, the one seen last first."""
    alive = UserSession.objects.purge_and_list(user)
    return [
        {"session": session, "browser": browser_of(session.user_agent)}
        for session in sorted(alive, key=lambda session: session.last_seen_at, reverse=True)
    ]
