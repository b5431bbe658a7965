"""Links for tickets, what they hide, exports and evidence."""

from __future__ import annotations

from django.apps import AppConfig


class SharingConfig(AppConfig):
    name = "webapp.sharing"

    def ready(self) -> None:
        from webapp.jobs.kinds import register
        from webapp.sharing import kinds, shares  # noqa: F401

        register(kinds.Shares())
