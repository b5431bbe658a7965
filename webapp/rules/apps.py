"""Rules that people write for the journals of their project."""

from __future__ import annotations

from django.apps import AppConfig


class RulesConfig(AppConfig):
    """Django app."""

    name = "webapp.rules"
