"""Answers of the site show records, names and who decided what: no browser, proxy or disk keeps them.

Static files are answered before this is asked, and keep their caching. An ETag still saves a program its second download: it
compares with what the program itself has.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

NOT_KEPT = "private, no-store"


class NothingIsKept:
    """Comes after WhiteNoise's middleware. A view that gives the same to everybody says `public` itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, then say that it is not kept."""
        response = self.get_response(request)
        said = response.headers.get("Cache-Control", "")
        if "public" not in said and "no-store" not in said:
            response.headers["Cache-Control"] = NOT_KEPT
        return response
