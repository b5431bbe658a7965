"""Headers of every answer below a link, whoever gives it: pages, figures, downloads, errors."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

BELOW = "/s/"
HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}


class PrivateLinks(MiddlewareMixin):
    """No referrer, and no index of search engines."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if request.path_info.startswith(BELOW):
            for name, value in HEADERS.items():
                response.headers[name] = value
        return response
