"""Findings as people work them off: queue, verdicts, comments, rules."""

from __future__ import annotations

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    name = "webapp.review"

    def ready(self) -> None:
        """Listen to journals, and say on their list and on reports what people decided."""
        from webapp.journals import page_additions
        from webapp.reports import card_context
        from webapp.review import cards, counts, presence  # noqa: F401

        page_additions.register_columns(counts.with_open_incidents)
        card_context.register(cards.reviews_on)
