"""`manage.py load_samples`: the sample journals of the first start, again."""

from __future__ import annotations

from typing import Any

from workers import samples
from workers.management.outputs import OwnCommand


class Command(OwnCommand):
    help = "Make the two sample journals and inspect them."

    def handle(self, *_: Any, **__: Any) -> None:
        for inspection in samples.load():
            self.stdout.write(f"{inspection.journal.name}: sent.")
