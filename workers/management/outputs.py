"""The two streams of every command: nothing that a terminal would obey gets through, wherever a text came from."""

from __future__ import annotations

import sys
from argparse import SUPPRESS
from typing import Any, TextIO, cast

from django.core.management.base import BaseCommand, CommandParser, OutputWrapper

from spark.terms.installation import WHEEL, version
from spark.terms.visible import visible

OF_DJANGO = {"settings", "pythonpath", "traceback", "verbosity", "no_color", "force_color", "skip_checks"}


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

    def get_version(self) -> str:
        return f"{WHEEL} {version()}"

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Django's own options stay, and stay out of the help."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        for action in parser._actions:
            if action.dest in OF_DJANGO:
                action.help = SUPPRESS
        return parser

    def execute(self, *args: Any, **options: Any) -> Any:
        """Streams given by a caller are not replaced."""
        streams = {
            name: EscapingOutput(cast(TextIO, options[name]))
            for name in ("stdout", "stderr")
            if options.get(name)
        }
        return super().execute(*args, **options | streams)
