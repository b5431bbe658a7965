"""Clusters, questions to them, captures and watches."""

from __future__ import annotations

from django.apps import AppConfig


class ClustersConfig(AppConfig):
    """Django app."""

    name = "webapp.clusters"
