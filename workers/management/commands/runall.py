"""`manage.py runall`: the same as `make run`, without making the environment."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand

from workers import supervisor


class Command(BaseCommand):
    help = "Run web server, worker, scheduler and (without REDIS_URL) Redis under one Ctrl-C."
    requires_system_checks: list[str] = []

    def handle(self, *_: Any, **__: Any) -> None:
        sys.exit(supervisor.main())
