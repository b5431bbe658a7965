"""Pages for what went wrong before a view could answer."""

from __future__ import annotations

import sys
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views import defaults

from spark.storage.address import refusal_of
from webapp.database import is_away

PROGRAMS = ("/api/", "/uploads/")  # who asks there reads JSON
RETRY_SECONDS = 10
DATABASE_AWAY = "The database is not available. Nothing that was stored is lost. Try again in a minute."


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form has expired or came from another site."""
    return render(request, "403_csrf.html", {"reason": reason}, status=403)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "403.html", {"why": str(exception)}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """A defect, or a database that is away: then nothing may be asked of it. Or the store of the results, or what was deleted
    meanwhile."""
    problem = sys.exc_info()[1]
    why = DATABASE_AWAY if is_away(problem) else refusal_of(problem)
    if not why:
        return _deleted(request, problem) or defaults.server_error(request)
    headers = {"Retry-After": str(RETRY_SECONDS), "Cache-Control": "no-store"}
    if request.path_info.startswith(PROGRAMS):
        return JsonResponse({"error": why}, status=503, headers=headers)
    page = render_to_string("503.html", {"why": why})
    return HttpResponse(page, status=503, headers=headers)


def _deleted(request: HttpRequest, problem: BaseException | None) -> HttpResponse | None:
    """Response if something was deleted during the request, else None."""
    from webapp.gone import gone  # with apps that import this module

    status, why = gone(request, problem)
    if not status:
        return None
    if request.path_info.startswith(PROGRAMS):
        return JsonResponse({"error": why}, status=status)
    return render(
        request, "404.html" if status == HTTPStatus.NOT_FOUND else "410.html", {"why": why}, status=status
    )
