"""Forms of signing in, in the words of the house."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import LoginForm
from django.http import HttpRequest, HttpResponse

from webapp.accounts import sessions


class SignInForm(LoginForm):
    """django-allauth's form with a label that names both ways to sign in."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = "User name or e-mail"

    def login(self, request: HttpRequest, redirect_url: str | None = None) -> HttpResponse:
        """django-allauth makes the end of the session a number of seconds after the sign-in."""
        answer: HttpResponse = super().login(request, redirect_url)
        sessions.keep_end(request.session)
        return answer
