"""`manage.py backup FOLDER`: everything that cannot be made again, while the site runs. docs/operations.md."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from webapp.journals.templatetags.journalscope import size
from workers.backup.making import CannotBackUp, make
from workers.management.outputs import OwnCommand


class Command(OwnCommand):
    """Says what it wrote, and what was not as it should be."""

    help = "Back up database, raw bytes and result tables into a new folder. The site can stay running."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER", help="output folder; must not exist")

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            manifest = make(options["folder"], self.stderr.write)
        except CannotBackUp as problem:
            raise CommandError(str(problem)) from problem
        size_bytes = sum(entry.size_bytes for entry in manifest.files)
        self.stdout.write(
            f"{options['folder']}: {sum(manifest.rows.values()):,} rows and {len(manifest.files):,} files, "
            f"{size(size_bytes)}. It does not contain the secret key: store the key elsewhere."
        )
