"""The page of tokens: one's own, those of one's projects' members for an admin; making and revoking them."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from webapp.accounts.access import require_role
from webapp.accounts.signed_in import SignedInRequest
from webapp.api import tokens
from webapp.api.access import get_token_for_user, tokens_for_user
from webapp.api.forms import TokenForm


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: SignedInRequest) -> HttpResponse:
    """The lists, the form, and after it the new token's text, once."""
    require_role(request.user, "viewer")
    form = TokenForm(request.POST or None, user=request.user)
    context = {"form": form, "section": "tokens"}
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        made, text = tokens.create_token(
            request.user, values["name"], values["scopes"], form.expires_at, values["project"]
        )
        context |= {"made": made, "text": text, "form": TokenForm(user=request.user)}
    visible = tokens_for_user(request.user).select_related("user", "project")
    context |= {"own": visible.filter(user=request.user), "others": visible.exclude(user=request.user)}
    status = 400 if request.method == "POST" and "made" not in context else 200
    return render(request, "api/tokens.html", context, status=status)


@require_POST
def revoke(request: HttpRequest, token_id: UUID) -> HttpResponse:
    """At once."""
    token = get_token_for_user(request.user, token_id)
    tokens.revoke(token, request.user)
    messages.success(request, f"{token.name} is revoked. It no longer gives access.")
    return redirect("tokens")
