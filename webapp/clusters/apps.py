"""Clusters, questions to them, captures and watches."""

from __future__ import annotations

from django.apps import AppConfig


class ClustersConfig(AppConfig):
    """Django app."""

    name = "webapp.clusters"

    def ready(self) -> None:
        """Its kinds of jobs."""
        from webapp.clusters import kinds
        from webapp.jobs.kinds import register

        register(kinds.Captures(), kinds.Trials())
