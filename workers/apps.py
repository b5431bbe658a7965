"""The Django app that carries the commands of `manage.py` that are not Django's own: `workers/management/commands/`."""

from __future__ import annotations

from django.apps import AppConfig


class WorkersConfig(AppConfig):
    name = __name__.removesuffix(".apps")
