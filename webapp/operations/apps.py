"""What keeps the site going."""

from __future__ import annotations

from django.apps import AppConfig
from django.core import checks


class OperationsConfig(AppConfig):
    name = "webapp.operations"

    def ready(self) -> None:
        from webapp.operations import exposure

        checks.register(exposure.check, checks.Tags.security)
