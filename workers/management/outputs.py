"""The two streams of every command: nothing that a terminal would obey gets through, wherever a text came from."""

from __future__ import annotations

import sys
from typing import Any, TextIO, cast

from django.core.management.base import BaseCommand, OutputWrapper

from spark.terms.visible import visible


class EscapingOutput(OutputWrapper):
    """Colours are ours and are added behind the escaping."""

    def write(self, msg: Any = "", style_func: Any = None, ending: Any = None) -> None:  # type: ignore[override]
        super().write(visible(str(msg)), style_func, ending)


class OwnCommand(BaseCommand):
    """A command whose words may quote names and data of journals."""

    def __init__(
        self, stdout: Any = None, stderr: Any = None, no_color: bool = False, force_color: bool = False
    ) -> None:
        super().__init__(stdout, stderr, no_color, force_color)
        self.stdout, self.stderr = EscapingOutput(stdout or sys.stdout), EscapingOutput(stderr or sys.stderr)

    def execute(self, *args: Any, **options: Any) -> Any:
        """Streams given by a caller are not replaced."""
        streams = {
            name: EscapingOutput(cast(TextIO, options[name]))
            for name in ("stdout", "stderr")
            if options.get(name)
        }
        return super().execute(*args, **options | streams)
