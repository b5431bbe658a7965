"""REST over the same services as the pages."""

from __future__ import annotations

from django.apps import AppConfig


class ApiConfig(AppConfig):
    """Django app."""

    name = "webapp.api"
