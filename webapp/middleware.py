"""Middleware for all requests: unknown methods are refused, answers are not stored, JSON answers contain no `<`."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.utils.deprecation import MiddlewareMixin

METHODS = ("GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS")
NO_STORE = "private, no-store"
JSON = ("application/json", "application/problem+json", "application/vnd.oai.openapi+json")


class NoStoreAnswers(MiddlewareMixin):
    """No browser or proxy stores answers: they contain records, names and decisions.

    Comes after WhiteNoise's middleware, so that static files stay cacheable; a view with the same answer for everybody says
    `public` itself. A program still saves a download by its ETag, which it compares with its own copy.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        policy = response.headers.get("Cache-Control", "")
        if "public" not in policy and "no-store" not in policy:
            response.headers["Cache-Control"] = NO_STORE
        return response


class UsualMethods(MiddlewareMixin):
    """Comes before static files and probes, so that no handler sees another method, such as TRACE."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """405 with the allowed methods."""
        return None if request.method in METHODS else HttpResponseNotAllowed(METHODS)


def inert(body: bytes) -> bytes:
    """The same JSON document with `<` escaped."""
    return body.replace(b"<", rb"\u003c")


class InertJson(MiddlewareMixin):
    """A browser that takes JSON for HTML finds no tag: `<` occurs in strings only, where `\\u003c` is the same character.

    Figures are compressed before they come here; their view escapes them itself.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Escapes the body and corrects Content-Length."""
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind in JSON and not response.streaming and "Content-Encoding" not in response.headers:
            response.content = inert(response.content)
            if "Content-Length" in response.headers:
                response.headers["Content-Length"] = str(len(response.content))
        return response
