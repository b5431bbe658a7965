"""Asks a report's tables what somebody typed: an answer within the bounds, or what is wrong with the query."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from spark.storage.pins import PinnedCopies
from spark.tables import TABLES, Manifest
from spark.tables.views import NAMED_VIEWS, FilesOfTable, reading, source_of
from spark.terms.installation import IMPORT_ROOT

COMMAND = (sys.executable, "-m", "spark.tables.sql.child")
ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONPATH", "LANG")  # nothing secret
GRACE_SECONDS = 2  # between the interruption and the end of the process
START_SECONDS = 20  # for the process to load, on a busy machine
WORD = re.compile(r"\w+")
QUERY_WORD = re.compile(
    r"""
    "(?:[^"\n]|"")*"?      # a name in quotes
    | '(?:[^'\n]|'')*'?    # a text
    | \w+ | \S            # a name, a number; a sign
    """,
    re.VERBOSE,
)
NAMES = (*TABLES, *NAMED_VIEWS)


@dataclass(frozen=True)
class SqlBounds:
    """What an answer may have, and how long it may take. `size_bytes`: of its rows in memory."""

    rows: int
    seconds: float
    size_bytes: int


@dataclass(frozen=True)
class SqlAnswer:
    """Rows of a query. `types`: of its columns, as DuckDB names them; `cut`: "rows" or "bytes" where a bound ended it."""

    rows: pa.Table
    types: tuple[str, ...]
    cut: str = ""


class SqlError(Exception):
    """Why a query has no answer, as one sentence. `line`, `column`: the place in its text, from 1; 0: the whole text.
    `length`: of the word there."""

    def __init__(self, sentence: str, line: int = 0, column: int = 0, length: int = 0) -> None:
        super().__init__(sentence)
        self.sentence, self.line, self.column, self.length = sentence, line, column, length

    @property
    def with_place(self) -> str:
        return f"Line {self.line}, column {self.column}: {self.sentence}" if self.line else self.sentence

    def line_of(self, text: str) -> str:
        """The line of its place. Characters other than line feeds that end a line stay in it, as in `line`."""
        return text.split("\n")[self.line - 1].removesuffix("\r")


def ask(manifest: Manifest, text: str, bounds: SqlBounds) -> SqlAnswer:
    """Run the query in a process of its own. Raises SqlError."""
    with closing(PinnedCopies()) as pins:
        header, rest = _answered(question_of(manifest, text, bounds, pins), bounds)
    if over := header.get("over"):
        raise SqlError(OVER[over].format(seconds=bounds.seconds))
    if "error" in header:
        raise SqlError(header["error"], *place_of(text, header["position"]))
    with pa.ipc.open_stream(rest) as stream:
        return SqlAnswer(stream.read_all(), tuple(header["types"]), header["cut"])


OVER = {
    "time": "The query was stopped after {seconds:g} seconds. Ask about fewer records: a topic, a partition, a range of offsets.",
    "memory": "The query was stopped because it needs more than 512 MB of memory. Select fewer columns or rows, or aggregate first.",
}


def question_of(manifest: Manifest, text: str, bounds: SqlBounds, pins: PinnedCopies) -> dict[str, Any]:
    """What the child is asked: views of the tables that the text names, and the files that they read."""
    words = {word.lower() for word in WORD.findall(text)}
    views = [name for name in NAMED_VIEWS if name in words]
    words |= {NAMED_VIEWS[name].table for name in views}
    tables: dict[str, str] = {}
    paths: list[str] = []
    for name in TABLES:
        if name not in words:
            continue
        source = source_of(manifest, name)
        if isinstance(source, FilesOfTable):
            # the child runs in another folder
            files = [str(Path(file).resolve()) for file in pins.fetched(source.files)]
            paths += files
            source = reading(files)
        tables[name] = str(source)
    for name in views:
        tables[name] = f"{NAMED_VIEWS[name].table} WHERE {NAMED_VIEWS[name].condition}"
    return {
        "text": text,
        "tables": tables,
        "paths": paths,
        "names": NAMES,
        "rows": bounds.rows,
        "seconds": bounds.seconds,
        "grace_seconds": GRACE_SECONDS,
        "size_bytes": bounds.size_bytes,
    }


def _answered(question: dict[str, Any], bounds: SqlBounds) -> tuple[dict[str, Any], bytes]:
    """The first line of what the child answers, and the rest."""
    try:
        done = subprocess.run(
            COMMAND,
            input=json.dumps(question).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a traceback may quote records
            cwd=IMPORT_ROOT,
            env={name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
            timeout=START_SECONDS + bounds.seconds + GRACE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"over": "time"}, b""
    if done.returncode == -signal.SIGALRM:
        return {"over": "time"}, b""
    if done.returncode < 0:  # whoever kills a process of this size does so for its memory
        return {"over": "memory"}, b""
    line, _, rest = done.stdout.partition(b"\n")
    if done.returncode or not line:
        return {"error": "The query failed because of a bug in Journalscope.", "position": None}, b""
    return json.loads(line), rest


def place_of(text: str, position: int | None) -> tuple[int, int, int]:
    """Line and column of a byte of the text, from 1, and the length of the word there; zeros for None."""
    if position is None:
        return 0, 0, 0
    before = text.encode()[:position].decode(errors="ignore")
    word = QUERY_WORD.match(text, len(before))
    return before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1, len(word[0]) if word else 0
