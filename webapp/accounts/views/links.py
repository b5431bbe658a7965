"""Pages behind links that let somebody in: an invitation, a one-time sign-in."""

from __future__ import annotations

from allauth.account.internal.flows.login import record_authentication
from allauth.account.utils import perform_login
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_http_methods

from webapp.accounts import invitations, one_time
from webapp.accounts.models import Invitation
from webapp.accounts.project_forms import SignUpForm

WITHOUT_ONE = 'No password is set. This link cannot be used again. <a href="{}">Set a password</a> to sign in next time.'


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def open_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Sign up, or accept with the current account. GET changes nothing, since mail scanners follow links."""
    invitation = invitations.find(token)
    if invitation is None:
        return _over(request)
    if request.user.is_authenticated:
        return _accept(request, invitation) if request.method == "POST" else _page(request, invitation)
    form = SignUpForm(request.POST or None, invitation=invitation)
    if request.method != "POST":
        return _page(request, invitation, form)
    if not form.is_valid():
        return _page(request, invitation, form, status=422)
    cleaned = form.cleaned_data
    user = invitations.sign_up(invitation, cleaned["username"], cleaned["email"], cleaned["password"])
    if user is None:
        return _over(request)
    return _sign_in(request, user, "password")


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def one_time_sign_in(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows a button and POST signs in, since link previews of chats send GET."""
    if request.method != "POST":
        link = one_time.find(token)
        return render(request, "accounts/one_time.html", {"link": link}, status=200 if link else 410)
    user = one_time.redeem(token)
    if user is None:
        return render(request, "accounts/one_time.html", {"link": None}, status=410)
    return _sign_in(request, user, "link")


def _sign_in(request: HttpRequest, user: User, method: str) -> HttpResponse:
    """The link replaces the password only: a second factor is still asked for."""
    record_authentication(request, user, method)
    answer = perform_login(request, user, email_verification="none")
    has_password = user.password and user.has_usable_password()
    if request.user.is_authenticated and not has_password:
        messages.warning(request, format_html(WITHOUT_ONE, reverse("account_set_password")))
    return answer


def _accept(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    if not invitations.accept(invitation, request.user):
        return _over(request)
    messages.success(request, f"You are in the project {invitation.project} now.")
    return redirect("journals")


def _page(
    request: HttpRequest, invitation: Invitation, form: SignUpForm | None = None, status: int = 200
) -> HttpResponse:
    context = {"invitation": invitation, "form": form, "next": request.path}
    answer = render(request, "accounts/invitation.html", context, status=status)
    answer["X-Robots-Tag"] = "noindex"
    return answer


def _over(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/invitation.html", {"invitation": None}, status=410)
