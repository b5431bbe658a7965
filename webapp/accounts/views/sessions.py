"""One's sessions: the list, and ending one or all others."""

from __future__ import annotations

from allauth.usersessions.internal.flows.sessions import end_other_sessions, end_sessions
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from webapp.accounts.sessions import rows_of
from webapp.audit import log


@never_cache
@require_GET
def sessions(request: HttpRequest) -> HttpResponse:
    """The list."""
    return render(request, "accounts/sessions.html", {"rows": rows_of(request.user), "section": "account"})


@require_POST
def end(request: HttpRequest, session_id: int) -> HttpResponse:
    """End one of one's own; others' are 404."""
    found = UserSession.objects.filter(pk=session_id, user=request.user).first()
    if found is None:
        raise Http404
    log.record("session.revoked", request=request, target=request.user, sessions=1)
    is_this = found.is_current()
    end_sessions(request, [found])
    if is_this:
        return redirect("account_login")
    messages.success(request, "That session was ended.")
    return redirect("sessions")


@require_POST
def end_others(request: HttpRequest) -> HttpResponse:
    """End all but this one."""
    count = UserSession.objects.filter(user=request.user).count() - 1
    log.record("session.revoked", request=request, target=request.user, sessions=count)
    end_other_sessions(request, request.user)
    messages.success(request, "All other sessions were ended.")
    return redirect("sessions")
