"""The Django app that carries the commands `inspect`, `runall` and `load_samples`."""

from __future__ import annotations

from django.apps import AppConfig


class WorkersConfig(AppConfig):
    """Commands only: no models, no pages."""

    name = "workers"
