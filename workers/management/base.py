"""What the commands on inputs share: checked arguments, documents on stdout, the worst exit code of all.

Nothing but results may reach stdout, whatever the JVM and the Python tasks print: `own_stdout` keeps the real one
for us and lets everything else write to stderr.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from spark.runtime.in_process import small_bytes
from spark.runtime.java import NoJava
from spark.storage.address import is_address
from spark.terms.column_mapping import EXAMPLE, ROLES
from spark.terms.errors import UnknownColumns, UnreadableInput
from spark.terms.installation import compiled_code
from spark.terms.visible import visible, visible_json
from workers.management.inspecting import (
    CommandContext,
    Report,
    Spark,
    empty_folder,
    scratch_folder,
    weight,
)
from workers.management.outputs import OwnCommand

GOOD, ALARMING, UNREADABLE = 0, 1, 2
SIGTERM_EXIT = 143
FAILED = "The inspection failed because of a bug in Journalscope. Your files are not the cause. Details are in stderr."
Options = dict[str, Any]


class HeadlessCommand(OwnCommand):
    """Inputs in, documents out. A command says what it asks for, what its document is and which exit code it means."""

    requires_system_checks: list[str] = []
    name_a_path: str

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "paths",
            nargs="*",
            type=path_or_address,
            metavar="PATH",
            help="file, folder, archive, or an address such as s3://BUCKET/KEY",
        )
        parser.add_argument("--json", action="store_true", help="print JSON instead of text")

    def handle(self, *_: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(SIGTERM_EXIT))
        try:
            self.prepare(options)
            self.tell_of_compiling()
            with (
                own_stdout() as results,
                scratch_folder() as scratch,
                Spark(settings.SPARK_MASTER, scratch) as spark,
            ):
                begin_if_large(spark, [*options["paths"], *(options.get("older") or [])])
                chosen = chosen_dialects(options.get("dialect", []))
                text_format = options.get("text_format") or ""
                job = CommandContext(
                    spark, scratch, chosen, options.get("given", ()), text_format=text_format
                )
                codes = (
                    self.show(document, results, options["json"]) for document in self.documents(job, options)
                )
                sys.exit(max(codes))
        except UnreadableInput as problem:
            self.stderr.write(str(problem))
            sys.exit(UNREADABLE)
        except BrokenPipeError:  # whoever read our results has left
            sys.exit(UNREADABLE)

    def tell_of_compiling(self) -> None:
        """Numba's functions cannot come with a package: each machine compiles its own."""
        folder = compiled_code()
        if folder and not folder.exists():
            self.stderr.write(
                "The first run on this machine compiles the decoders, which takes 10 to 20 seconds."
            )

    def prepare(self, options: Options) -> None:
        """Raise UnreadableInput when the arguments do not do."""
        check_text_format(options.get("text_format"))
        if not options["paths"]:
            raise UnreadableInput(self.name_a_path)
        if options.get("out"):
            options["out"] = empty_folder(options["out"])

    def documents(self, job: CommandContext, options: Options) -> Iterator[Report]:
        """What is shown, one after the other; `{"error": ...}` for what could not be read."""
        yield answer(lambda: self.document(job, options))

    def document(self, job: CommandContext, options: Options) -> Report:
        """The document; `text` is its form for a terminal."""
        raise NotImplementedError

    def exit_code(self, document: Report) -> int:
        return GOOD

    def show(self, document: Report, results: IO[str], as_json: bool) -> int:
        """Print a document, give its exit code; an error without a text of its own goes to stderr."""
        text = document.pop("text", None)
        if text is None:
            self.stderr.write(document["error"])
        if as_json:
            print(visible_json(json.dumps(document, ensure_ascii=False)), file=results, flush=True)
        elif text is not None:
            print(visible(text), file=results, flush=True)
        return UNREADABLE if "error" in document else self.exit_code(document)


def begin_if_large(spark: Spark, paths: Sequence[Path | str]) -> None:
    """Start the JVM before anything is read where an input is sure to need it."""
    try:
        is_large = weight(paths) >= small_bytes()
    except OSError:
        return  # whoever opens it says what is wrong
    if is_large:
        spark.begin()


def path_or_address(text: str) -> Path | str:
    """What a user names as input: a path of this machine, or the address of a store as a text."""
    return text if is_address(text) and not Path(text).exists() else Path(text)


def add_dialect(parser: ArgumentParser) -> None:
    """The arguments `--dialect`, `--text-format` and `--columns`, for commands whose answer depends on how the input is read."""
    parser.add_argument(
        "--dialect",
        action="append",
        default=[],
        metavar="[TOPIC=]NAME",
        help="read TOPIC as this journal type, such as schema-registry; do not detect it",
    )
    parser.add_argument(
        "--text-format",
        metavar="FORMAT",
        help=r"the format of `kcat -f`, such as '%%t %%p %%o %%k %%s\n'",
    )
    parser.add_argument(
        "--columns",
        dest="text_format",
        metavar="PART=COLUMN,...",
        help=f"columns of a table or members of JSON by the parts of a record ({', '.join(ROLES)}), such as {EXAMPLE}",
    )


def check_text_format(text: str | None) -> None:
    """Raise UnreadableInput for what is neither a format of kcat nor a mapping of columns."""
    from spark.sources.kcat_format import with_text_format

    try:
        with_text_format([], text) if text else None
    except ValueError as problem:
        raise UnreadableInput(str(problem)) from problem


def chosen_dialects(options: Sequence[str]) -> dict[str, str]:
    """What `--dialect NAME` and `--dialect TOPIC=NAME` say: topic ("": every topic) -> dialect id. Raises UnreadableInput."""
    if not options:
        return {}  # a query over stored results needs no reader
    from spark.stages.plan import check_choice

    pairs = (option.rpartition("=") for option in options)
    chosen = {topic: name for topic, _, name in pairs}
    check_choice(chosen)
    return chosen


@contextmanager
def own_stdout() -> Iterator[IO[str]]:
    """The stream for results. From here on, file descriptor 1 is stderr for everybody, children included."""
    sys.stdout.flush()
    results = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace")
    os.dup2(2, 1)
    try:
        yield results
        results.flush()
    finally:
        os.dup2(results.fileno(), 1)
        results.close()


def answer(document: Callable[[], Report]) -> Report:
    """The document, or `{"error": ...}` with a sentence; a defect's traceback goes to stderr."""
    try:
        return document()
    except UnknownColumns as problem:
        from spark.sources._columns.question import in_terminal

        return {"error": in_terminal(problem.question)}
    except (UnreadableInput, NoJava) as problem:
        return {"error": str(problem)}
    except OSError as problem:
        file = f"{problem.filename}: " if problem.filename else ""
        return {"error": f"Reading or writing failed: {file}{problem.strerror or problem}."}
    except Exception:
        import traceback

        traceback.print_exc()
        return {"error": FAILED}
