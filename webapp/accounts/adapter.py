"""How django-allauth behaves here."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class ClosedDoor(DefaultAccountAdapter):
    """Nobody makes an account for themselves: an admin does."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never."""
        return False
