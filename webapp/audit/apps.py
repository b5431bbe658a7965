"""Who saw, shared and changed what."""

from __future__ import annotations

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """Django app."""

    name = "webapp.audit"

    def ready(self) -> None:
        """Listen to sign-ins."""
        from webapp.audit import signals  # noqa: F401
