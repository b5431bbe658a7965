"""The page of tokens: one's own, those of one's projects' members for an admin; making and revoking them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from webapp.accounts.access import require_role
from webapp.accounts.models import Project
from webapp.accounts.roles import has_role, projects_for_user
from webapp.accounts.signed_in import SignedInRequest
from webapp.api import tokens
from webapp.api.models import SCOPES, Token
from webapp.api.tokens import MAX_DAYS, ROLE_OF_SCOPE

DEFAULT_DAYS = 90
MIN_ROLE = ROLE_OF_SCOPE | {"review": "support"}  # support comments


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


class TokenForm(forms.Form):
    name = forms.CharField(max_length=100, help_text="What uses it, such as nightly upload.")
    scopes = forms.MultipleChoiceField(
        label="What it may do",
        choices=list(SCOPES.items()),
        widget=forms.CheckboxSelectMultiple(attrs={"class": "form-check-input"}),
        initial=["read"],
        error_messages={"required": "Select at least one."},
    )
    project: forms.ModelChoiceField[Project] = forms.ModelChoiceField(
        queryset=None, required=False, empty_label="All my projects", to_field_name="slug"
    )
    days = forms.IntegerField(label="Valid for (days)", min_value=1, max_value=MAX_DAYS, initial=DEFAULT_DAYS)

    def __init__(self, *args: Any, user: Any, **extra: Any) -> None:
        super().__init__(*args, **extra)
        self.fields["project"].queryset = projects_for_user(user)  # type: ignore[attr-defined]
        self.fields["scopes"].choices = [  # type: ignore[attr-defined]
            (scope, words) for scope, words in SCOPES.items() if has_role(user, MIN_ROLE[scope])
        ]

    @property
    def expires_at(self) -> Any:
        """Counted from now."""
        return timezone.now() + timedelta(days=self.cleaned_data["days"])


def tokens_for_user(user: Any) -> QuerySet[Token]:
    """Tokens this user may see and revoke.

    An admin sees those that open their projects: of members, for one of these projects or for all of the member's.
    """
    if user.is_superuser:
        return Token.objects.all()
    theirs = projects_for_user(user, "admin")
    of_members = Q(user__memberships__project__in=theirs) & (Q(project=None) | Q(project__in=theirs))
    return Token.objects.filter(Q(user=user) | of_members).distinct()


def get_token_for_user(user: Any, token_id: UUID | str) -> Token:
    return get_object_or_404(tokens_for_user(user), pk=token_id)
