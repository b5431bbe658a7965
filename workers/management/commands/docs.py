"""`manage.py docs --out FOLDER`: the documentation as static pages, with its search, for any web server."""

from __future__ import annotations

from argparse import ArgumentParser
from importlib import util
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from spark.terms.installation import WHEEL
from workers.management.outputs import OwnCommand

NEEDS_EXTRA = f"The command docs needs more packages: pip install '{WHEEL}[web]'"


class Command(OwnCommand):
    help = "Write the documentation as static pages."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--out", type=Path, required=True, metavar="FOLDER", help="output folder; must be new or empty"
        )

    def handle(self, *_: Any, out: Path, **__: Any) -> None:
        if util.find_spec("markdown_it") is None:
            raise CommandError(NEEDS_EXTRA, returncode=2)
        if out.is_file() or (out.is_dir() and any(out.iterdir())):
            raise CommandError(f"{out} is not empty. Name a folder that is new or empty.", returncode=2)
        from webapp.catalogue.published import publish

        self.stdout.write(f"{publish(out)} pages: {out / 'index.html'}")
