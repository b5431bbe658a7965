"""`serve`: the same as `make run`, without making the environment; or one part of it."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from workers import supervisor


class Command(BaseCommand):
    help = "Run web server, worker, scheduler and (without REDIS_URL) Redis under one Ctrl-C."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--part",
            choices=supervisor.PARTS,
            help="only this part, as the one process of a container or unit; it needs REDIS_URL",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        sys.exit(supervisor.run_part(options["part"]) if options["part"] else supervisor.main())
