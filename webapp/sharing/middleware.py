"""Headers of every answer below a link, whoever gives it: pages, figures, downloads, errors."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

BELOW = "/s/"
HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}


class LinksAreKept:
    """No referrer, no search engine."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, then seal."""
        response = self.get_response(request)
        if request.path_info.startswith(BELOW):
            for name, value in HEADERS.items():
                response.headers[name] = value
        return response
