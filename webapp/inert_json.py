"""JSON answers have no `<`: a browser or a page that takes one for HTML finds no tag in what a record holds.

In JSON `<` stands within strings only, where `\\u003c` is the same character.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

JSON = ("application/json", "application/problem+json", "application/vnd.oai.openapi+json")


def inert(body: bytes) -> bytes:
    """The same JSON document with `<` escaped."""
    return body.replace(b"<", rb"\u003c")


class InertJson(MiddlewareMixin):
    """Whole answers; figures, which are compressed before they come here, are written so by their view."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Escapes the body and corrects Content-Length."""
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind in JSON and not response.streaming and "Content-Encoding" not in response.headers:
            response.content = inert(response.content)
            if "Content-Length" in response.headers:
                response.headers["Content-Length"] = str(len(response.content))
        return response
