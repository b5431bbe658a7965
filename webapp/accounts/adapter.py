"""How django-allauth behaves here."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest
from django.urls import reverse


class ClosedDoor(DefaultAccountAdapter):
    """Nobody makes an account for themselves: an admin does."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never."""
        return False

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Back to work: the form again would look as if something were missing."""
        return reverse("journals")
