"""`manage.py restore FOLDER`: a backup into an empty installation. docs/operations.md."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from workers.backup.manifest import Damaged
from workers.backup.restoring import CannotRestore, restore
from workers.management.outputs import OwnCommand


class Command(OwnCommand):
    """All of it, or nothing and a sentence that says why."""

    help = "Restore a backup into an empty installation (a new data folder and a new database)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER", help="what `backup` wrote")

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            manifest = restore(options["folder"])
        except (Damaged, CannotRestore) as problem:
            raise CommandError(str(problem)) from problem
        rows = sum(manifest.rows.values())
        self.stdout.write(
            f"{rows:,} rows and {len(manifest.files):,} files of {manifest.created_at} are back."
        )
