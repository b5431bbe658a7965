"""The one-time sign-in page."""

from __future__ import annotations

from allauth.account.internal.flows.login import record_authentication
from allauth.account.utils import perform_login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from webapp.accounts import one_time


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def one_time_sign_in(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows a button and POST signs in, so that a chat's link preview does not use the link up."""
    if request.method != "POST":
        link = one_time.find(token)
        return render(request, "accounts/one_time.html", {"link": link}, status=200 if link else 410)
    user = one_time.redeem(token)
    if user is None:
        return render(request, "accounts/one_time.html", {"link": None}, status=410)
    record_authentication(request, user, "link")
    # a link stands for the password: whoever has a second factor is asked for it
    return perform_login(request, user, email_verification="none")
