"""Whether this server can do its work: for load balancers and for the supervisor."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from redis.exceptions import RedisError

from webapp.journals import progress


@login_not_required
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when database and broker answer, else 503; says which of them does not."""
    answers = {"database": _database_answers(), "broker": _broker_answers()}
    return JsonResponse(answers, status=200 if all(answers.values()) else 503)


def _database_answers() -> bool:
    try:
        connection.ensure_connection()
    except Error:
        return False
    return True


def _broker_answers() -> bool:
    try:
        return bool(progress.connection().ping())
    except RedisError:
        return False
