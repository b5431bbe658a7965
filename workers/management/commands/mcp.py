"""`journalscope mcp`: a server for assistants on this machine, over stdin and stdout; docs/mcp.md."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import util
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from spark.terms.errors import UnreadableInput
from spark.terms.installation import WHEEL
from workers.management.base import (
    GOOD,
    SIGTERM_EXIT,
    UNREADABLE,
    add_dialect,
    check_text_format,
    chosen_dialects,
    own_stdout,
)
from workers.management.inspecting import CommandContext, Spark, scratch_folder
from workers.management.outputs import OwnCommand

NEEDS_EXTRA = f"The command mcp needs the package mcp. Install it with: pip install '{WHEEL}[mcp]'"
NO_CREDENTIAL = "--server needs a token in the environment variable JOURNALSCOPE_TOKEN. The page Tokens of the server makes one."
TOKEN = "JOURNALSCOPE_TOKEN"  # noqa: S105 - a name
CHARACTERS, MIN_CHARACTERS, ROWS = 40_000, 8_000, 100


class Command(OwnCommand):
    help = (
        "Serve assistants by the Model Context Protocol over stdin and stdout: inspect, report, finding, state, record, compare, repair plan. "
        "Read only. Values, keys and headers are hidden unless they are shown here."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--allow",
            type=Path,
            action="append",
            default=[],
            metavar="FOLDER",
            help="read files below this folder (default: the current folder)",
        )
        parser.add_argument(
            "--show",
            action="append",
            default=[],
            choices=("payloads", "keys", "headers"),
            help="show values, keys or headers of records; secrets that a mask finds stay hidden",
        )
        parser.add_argument(
            "--hide",
            action="append",
            default=[],
            choices=("names", "key-names"),
            help="hide names of topics and entities, or names that a journal type reads in keys",
        )
        parser.add_argument(
            "--mask-field",
            action="append",
            default=[],
            metavar="PATH",
            help="also hide this member, such as customer.email or **.iban",
        )
        parser.add_argument(
            "--mask-pattern",
            action="append",
            default=[],
            metavar="REGEX",
            help="also hide what matches this",
        )
        parser.add_argument(
            "--server",
            metavar="URL",
            help=f"also answer about journals of this server; its token is in the environment variable {TOKEN}",
        )
        parser.add_argument(
            "--max-characters",
            type=int,
            default=CHARACTERS,
            metavar="N",
            help=f"of an answer (default: {CHARACTERS})",
        )
        parser.add_argument(
            "--max-rows", type=int, default=ROWS, metavar="N", help=f"of a page (default: {ROWS})"
        )
        add_dialect(parser)

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            self.serve(options)
        except UnreadableInput as problem:
            self.stderr.write(str(problem))
            sys.exit(UNREADABLE)
        except BrokenPipeError:  # the client has ended
            pass
        end(GOOD)

    def serve(self, options: dict[str, Any]) -> None:
        """Until the client ends. Raises UnreadableInput for options that cannot be used."""
        if util.find_spec("mcp") is None:
            raise UnreadableInput(NEEDS_EXTRA)
        from workers.management.assistants.assistant import Assistant
        from workers.management.assistants.bounds import AnswerBounds
        from workers.management.assistants.folders import AllowedFolders
        from workers.management.assistants.journals import PathJournals
        from workers.management.assistants.protocol import serve
        from workers.management.assistants.served import JournalServer, ServedJournals
        from workers.management.masks import chosen_masks

        check_text_format(options["text_format"])
        masks = chosen_masks(options["show"], options["hide"], options["mask_field"], options["mask_pattern"])
        folders = AllowedFolders.of(options["allow"] or [Path.cwd()])
        bounds = AnswerBounds(max(options["max_characters"], MIN_CHARACTERS), max(options["max_rows"], 1))
        server = JournalServer(options["server"], token()) if options["server"] else None
        with (
            own_stdin() as requests,
            own_stdout() as answers,
            scratch_folder() as scratch,
            Spark(settings.SPARK_MASTER, scratch) as spark,
        ):
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: end(SIGTERM_EXIT, scratch))
            text_format = options["text_format"] or ""
            job = CommandContext(spark, scratch, chosen_dialects(options["dialect"]), text_format=text_format)
            served = ServedJournals(server, scratch, masks) if server else None
            serve(Assistant(PathJournals(job, folders, masks), served, masks, bounds), requests, answers)


def end(exit_code: int, scratch: Path | None = None) -> None:
    """End the process even if a thread waits for a request, or is at a call that its client has given up."""
    if scratch:
        shutil.rmtree(scratch, ignore_errors=True)
    sys.stderr.flush()
    os._exit(exit_code)


def token() -> str:
    """From the environment: the command line of a process can be read by others."""
    text = os.environ.get(TOKEN, "")
    if not text:
        raise UnreadableInput(NO_CREDENTIAL)
    return text


@contextmanager
def own_stdin() -> Iterator[IO[str]]:
    """The stream of requests. From here on, file descriptor 0 is empty for everybody, children included."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8", errors="replace")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    with requests:
        yield requests
