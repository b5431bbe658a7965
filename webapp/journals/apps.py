"""Journals, uploads, inspections."""

from __future__ import annotations

from django.apps import AppConfig


class JournalsConfig(AppConfig):
    """Django app."""

    name = "webapp.journals"
