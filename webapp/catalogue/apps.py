"""The pages of docs/, shown in the app."""

from __future__ import annotations

from django.apps import AppConfig


class CatalogueConfig(AppConfig):
    """Django app."""

    name = "webapp.catalogue"
