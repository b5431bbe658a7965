"""What this process counts: requests by view and status, and how long they took.

With PROMETHEUS_MULTIPROC_DIR set (workers.gunicorn_config does it), all web processes count into one folder.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter, Histogram

from webapp.logs import masked
from webapp.middleware import METHODS

logger = logging.getLogger(__name__.replace("operations.measures", "requests"))
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120)

REQUESTS = Counter("journalscope_http_requests", "Requests answered.", ("view", "method", "status"))
DURATION = Histogram(
    "journalscope_http_request_seconds", "Seconds until an answer.", ("view",), buckets=SECONDS
)


class RequestMetrics:
    """Counts and logs requests except those for static files, by view name so that labels contain no ids."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - began
        if request.path.startswith(settings.STATIC_URL):
            return response
        match = request.resolver_match
        view = (match.view_name or match.route) if match else "unknown"
        method = request.method if request.method in METHODS else "other"
        REQUESTS.labels(view, method, str(response.status_code)).inc()
        DURATION.labels(view).observe(seconds)
        # asking for it may cost a query that the view did not need
        user = getattr(request, "_cached_user", None)
        logger.info(
            "A request was answered.",
            extra={
                "method": method,
                "path": masked(request.path),
                "view": view,
                "status": response.status_code,
                "seconds": round(seconds, 4),
                "user": user.pk if user is not None else None,
            },
        )
        return response
