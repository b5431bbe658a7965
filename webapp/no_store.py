"""Answers of the site show records, names and who decided what: no browser, proxy or disk keeps them.

Static files are answered before this is asked, and keep their caching. An ETag still saves a program its second download: it
compares with what the program itself has.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

NO_STORE = "private, no-store"


class NoStoreAnswers(MiddlewareMixin):
    """Comes after WhiteNoise's middleware. A view that gives the same to everybody says `public` itself."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        policy = response.headers.get("Cache-Control", "")
        if "public" not in policy and "no-store" not in policy:
            response.headers["Cache-Control"] = NO_STORE
        return response
