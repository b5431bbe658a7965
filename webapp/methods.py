"""Methods of requests that some address of the site has. Others, such as TRACE, are refused before anything answers."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.utils.deprecation import MiddlewareMixin

METHODS = ("GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS")


class UsualMethods(MiddlewareMixin):
    """Comes before static files and probes, so that no handler of any layer sees another method."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """405 with the allowed methods."""
        return None if request.method in METHODS else HttpResponseNotAllowed(METHODS)
