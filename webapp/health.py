"""Whether this server lives, whether it can do its work, and its metrics: for load balancers, supervisors, Prometheus."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import Error, connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.deprecation import MiddlewareMixin
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST
from redis.exceptions import RedisError

from webapp import redis_client
from webapp.operations.heartbeats import queues_without_worker
from webapp.operations.metrics import exposition
from webapp.operations.storage import free_bytes

MIN_FREE_BYTES = 500 << 20
WATCHED = ("/healthz", "/readyz", "/metrics")


class AnonymousProbes(MiddlewareMixin):
    """Comes before sessions: probes get the same answer for everybody, even without a database."""

    def process_request(self, request: HttpRequest) -> None:
        """Sessions are ignored."""
        if request.path_info in WATCHED:
            request.COOKIES = {}


WAITING = {
    "inspections": "inspections",
    "transfers": "captures and shared links",
    "quick": "notifications and questions to clusters",
}


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 if database and broker answer, else 503; says which does not."""
    answers = {"database": _database_answers(), "broker": _broker_answers()}
    return JsonResponse(answers, status=200 if all(answers.values()) else 503)


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 if uploads would be stored and inspected now, else 503; each part in words."""
    parts = {
        "database": (_database_answers(), "answers", "does not answer"),
        "broker": (_broker_answers(), "answers", "does not answer"),
        "worker": _workers(),
        "disk": (free_bytes() >= MIN_FREE_BYTES, "has room", "is nearly full: uploads will soon be rejected"),
    }
    is_ready = all(holds for holds, _, _ in parts.values())
    words = {name: good if holds else bad for name, (holds, good, bad) in parts.items()}
    return JsonResponse({"ready": is_ready, **words}, status=200 if is_ready else 503)


@login_not_required
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For requests with METRICS_TOKEN; 404 if that is not set."""
    if not settings.METRICS_TOKEN:
        raise Http404
    token = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
    if not secrets.compare_digest(token.encode(), settings.METRICS_TOKEN.encode()):
        response = HttpResponse(
            "Send the METRICS_TOKEN as a bearer token.\n", status=401, content_type="text/plain"
        )
        response["WWW-Authenticate"] = "Bearer"
        return response
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)


def _database_answers() -> bool:
    try:
        connection.ensure_connection()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return False
    return True


def _broker_answers() -> bool:
    try:
        return bool(redis_client.connection().ping())
    except RedisError:
        return False


def _workers() -> tuple[bool, str, str]:
    """Whether every queue has a worker, and a sentence about it."""
    try:
        missing = queues_without_worker()
    except RedisError:
        missing = ["inspections"]
    waits = "".join(WAITING[name] for name in missing[:1])
    return not missing, "alive", f"none is alive: {waits} wait"
