"""Sessions of one's own."""

from __future__ import annotations

from typing import Any

from allauth.usersessions.models import UserSession
from rest_framework import serializers

from webapp.accounts.sessions import browser_of


class SessionShape(serializers.Serializer[Any]):
    """A browser that is signed in."""

    id = serializers.IntegerField()
    browser = serializers.SerializerMethodField(help_text="such as Firefox on Linux")
    address = serializers.CharField(source="ip")
    created_at = serializers.DateTimeField()
    last_seen_at = serializers.DateTimeField()
    is_current = serializers.BooleanField(help_text="the one that asks")

    def get_browser(self, session: UserSession) -> str:
        """By what it calls itself."""
        return browser_of(session.user_agent)
