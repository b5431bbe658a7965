"""Users, roles, sign-in."""

from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "webapp.accounts"
    verbose_name = "Projects and sign-in links"

    def ready(self) -> None:
        from webapp.accounts import signals  # noqa: F401
