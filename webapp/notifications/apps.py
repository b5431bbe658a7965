"""Mail and webhooks about findings and shares."""

from __future__ import annotations

from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    """Django app."""

    name = "webapp.notifications"
