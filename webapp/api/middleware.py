"""A token instead of a session, below /api/ and /uploads/ and nowhere else.

A request that shows a token acts for its user whatever cookies it carries, and needs no CSRF token: a browser does
not add the header by itself.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse

from webapp.api import tokens

UPLOADS = "/uploads/"  # spoken by webapp.journals.receiving.tus, which knows no scopes
PREFIXES = ("/api/", UPLOADS)
LACKS_UPLOAD = "This token lacks the scope upload. Make one that has it on the page Tokens."
SCHEME = "Bearer "
CHALLENGE = 'Bearer realm="Journalscope"'


class TokenSignIn:
    """Comes after Django's AuthenticationMiddleware, whose user it replaces."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Let pass, act for the token's user, or 401."""
        credentials = request.headers.get("Authorization", "")
        if not request.path_info.startswith(PREFIXES) or not credentials:
            return self.get_response(request)
        token = (
            tokens.find(credentials.removeprefix(SCHEME).strip()) if credentials.startswith(SCHEME) else None
        )
        why = tokens.why_refused(token)
        if token is None or why:
            return _refused(why)
        if request.path_info.startswith(UPLOADS) and not token.allows("upload"):
            return _refused(LACKS_UPLOAD, 403)
        request.token = token  # type: ignore[attr-defined]
        request.user = tokens.acting(token)
        request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
        return self.get_response(request)


def _refused(why: str, status: int = 401) -> HttpResponse:
    response = JsonResponse({"error": why}, status=status)
    if status == 401:
        response["WWW-Authenticate"] = CHALLENGE
    return response
