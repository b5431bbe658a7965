"""Findings as people work them off: queue, verdicts, comments, rules."""

from __future__ import annotations

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """Django app."""

    name = "webapp.review"

    def ready(self) -> None:
        """Listen to journals."""
        from webapp.review import following  # noqa: F401
