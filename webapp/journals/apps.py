"""Journals, uploads, inspections."""

from __future__ import annotations

from django.apps import AppConfig


class JournalsConfig(AppConfig):
    name = "webapp.journals"

    def ready(self) -> None:
        from webapp.jobs.kinds import register
        from webapp.journals import kinds

        register(kinds.Inspections(), kinds.Repairs(), kinds.Comparisons())
