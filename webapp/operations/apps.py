"""What keeps the site going."""

from __future__ import annotations

from django.apps import AppConfig
from django.core import checks


class OperationsConfig(AppConfig):
    """Django app; no tables of its own."""

    name = "webapp.operations"

    def ready(self) -> None:
        """Checks."""
        from webapp.operations import exposure

        checks.register(exposure.check, checks.Tags.security)
