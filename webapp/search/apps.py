"""One search over everything a user may see."""

from __future__ import annotations

from django.apps import AppConfig


class SearchConfig(AppConfig):
    name = "webapp.search"
