"""What keeps the site going."""

from __future__ import annotations

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """Django app; no tables of its own."""

    name = "webapp.operations"
