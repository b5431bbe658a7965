"""`manage.py load_samples [KIND ...]`: sample journals in the first project, as its cards load them."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from webapp.accounts.models import Project
from webapp.journals import samples
from workers.management.outputs import OwnCommand


class Command(OwnCommand):
    help = "Make the sample journals and inspect them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        kinds = [sample.kind for sample in samples.SAMPLES]
        parser.add_argument(
            "kinds", nargs="*", metavar="KIND", help=f"of {', '.join(kinds)}; all if none is named"
        )

    def handle(self, *_: Any, kinds: list[str], **__: Any) -> None:
        project = Project.objects.order_by("pk")[0]
        for sample in samples.SAMPLES:
            if sample.kind in kinds or not kinds:
                samples.load(sample, project)
                self.stdout.write(f"{sample.name}: sent.")
