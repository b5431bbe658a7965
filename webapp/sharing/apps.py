"""Links for tickets, what they hide, exports and evidence."""

from __future__ import annotations

from django.apps import AppConfig


class SharingConfig(AppConfig):
    """Django app."""

    name = "webapp.sharing"

    def ready(self) -> None:
        """Listen for what is deleted."""
        from webapp.sharing import signals  # noqa: F401
