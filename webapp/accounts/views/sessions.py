"""One's sessions: the list, and ending one or all others."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from webapp.accounts import sessions as own


@require_GET
def sessions(request: HttpRequest) -> HttpResponse:
    return render(
        request, "accounts/sessions.html", {"rows": own.rows_of(request.user), "section": "account"}
    )


@require_POST
def end(request: HttpRequest, session_id: int) -> HttpResponse:
    """End one of the user's sessions; those of others are 404."""
    session = own.get_own_session(request.user, session_id)
    is_this = session.is_current()
    own.end(request, [session])
    if is_this:
        return redirect("account_login")
    messages.success(request, "That session was ended.")
    return redirect("sessions")


@require_POST
def end_others(request: HttpRequest) -> HttpResponse:
    own.end(request, own.others(request.user))
    messages.success(request, "All other sessions were ended.")
    return redirect("sessions")
