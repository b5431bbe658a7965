"""Findings as people work them off: queue, verdicts, comments, rules."""

from __future__ import annotations

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """Django app."""

    name = "webapp.review"
