"""Clusters, questions to them, captures and watches."""

from __future__ import annotations

from django.apps import AppConfig


class ClustersConfig(AppConfig):
    name = "webapp.clusters"

    def ready(self) -> None:
        """Its kinds of jobs, and what a journal's page says of its capture and history."""
        from webapp.clusters import journal_page, kinds
        from webapp.jobs.kinds import register
        from webapp.journals.page_additions import register_context

        register(kinds.Captures(), kinds.Trials())
        register_context(journal_page.context)
