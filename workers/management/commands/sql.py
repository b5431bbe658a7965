"""`manage.py sql REPORT "SELECT ..."`: a query over the tables of a report, as docs/sql.md has it; the word `tables` lists them.

REPORT is the folder of results that `inspect --out` made, or an input, which is then inspected. `sql tables` lists the tables of every
report. Exit code: 0, also if no row matches; 2 for a query that has no answer and for what cannot be read.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from spark.tables import Manifest
from spark.tables.sql.ask import SqlAnswer, SqlBounds, SqlError, ask
from spark.tables.sql.schema import tables_of
from spark.terms.errors import UnreadableInput
from spark.terms.visible import visible, visible_json
from spark.terms.wording import plural
from workers.management.base import (
    GOOD,
    UNREADABLE,
    HeadlessCommand,
    Options,
    add_dialect,
    answer,
    path_or_address,
)
from workers.management.commands.records import is_result_folder
from workers.management.inspecting import CommandContext, Report

SIZE_BYTES = 256 << 20
TABLES_ASKED = "tables"


class Command(HeadlessCommand):
    help = "Run one SELECT over the tables of a report."

    def run_from_argv(self, argv: list[str]) -> None:
        """`sql tables` needs no report."""
        super().run_from_argv([*argv, TABLES_ASKED] if argv[2:] == [TABLES_ASKED] else argv)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "report",
            type=path_or_address,
            metavar="REPORT",
            help="the folder of results that inspect --out made, or an input to inspect; tables alone lists what every report has",
        )
        parser.add_argument(
            "query",
            metavar="QUERY",
            help="a SELECT; - reads it from standard input; tables lists the tables and views",
        )
        add_dialect(parser)
        parser.add_argument("--format", choices=("text", "csv", "json", "parquet"), default="text")
        parser.add_argument("--out", type=Path, metavar="FILE", help="write the answer to FILE")
        parser.add_argument(
            "--limit", type=int, default=1000, metavar="N", help="at most N rows; default 1000"
        )
        parser.add_argument(
            "--seconds", type=int, default=60, metavar="N", help="stop the query after N seconds; default 60"
        )

    def prepare(self, options: Options) -> None:
        """The report is no input of Spark's where its results are there."""
        if options["format"] == "parquet" and options["out"] is None and sys.stdout.isatty():
            raise UnreadableInput("Parquet is no text. Name a file: --out FILE")
        if options["query"] == "-":
            options["query"] = sys.stdin.read()
        options["json"] = False
        has_no_input = is_result_folder(options["report"]) or asks_no_report(options)
        options["paths"] = [] if has_no_input else [options["report"]]

    def documents(self, job: CommandContext, options: Options) -> Iterator[Report]:
        folder = Path(options["report"])
        if asks_no_report(options) and not is_result_folder(folder):
            yield {"text": "\n".join(schema())}
            return
        if options["paths"]:
            folder = job.scratch / "results"
            report = answer(lambda: job.inspect(options["paths"], folder))
            if "error" in report:
                yield report
                return
        manifest = Manifest.load(folder)
        if options["query"] == TABLES_ASKED:
            yield {"text": "\n".join(schema(manifest))}
            return
        bounds = SqlBounds(options["limit"], options["seconds"], SIZE_BYTES)
        try:
            yield {"answer": ask(manifest, options["query"], bounds), "options": options}
        except SqlError as error:
            yield {"error": "\n".join([error.with_place, *marked_line(options["query"], error)])}

    def show(self, document: Report, results: IO[str], as_json: bool) -> int:
        """The answer alone; what is left out is said on stderr."""
        if "answer" not in document:
            super().show(document, results, as_json)
            return UNREADABLE if "error" in document else GOOD
        reply: SqlAnswer = document["answer"]
        options = document["options"]
        content = in_format(reply, options["format"], options["query"])
        if options["out"]:
            options["out"].write_bytes(content)
        elif results.isatty():
            print(visible(content.decode("utf-8", "backslashreplace")), end="", file=results)
        else:
            results.flush()
            results.buffer.write(content)  # type: ignore[attr-defined]
            results.buffer.flush()  # type: ignore[attr-defined]
        if reply.cut:
            bound = f"--limit {options['limit']}" if reply.cut == "rows" else f"{SIZE_BYTES >> 20} MB"
            self.stderr.write(f"The answer has more than {plural(reply.rows.num_rows, 'row')} ({bound}).")
        return GOOD


def asks_no_report(options: Options) -> bool:
    return str(options["report"]) == options["query"] == TABLES_ASKED


def schema(manifest: Manifest | None = None) -> Iterator[str]:
    """Tables and views: their columns and what those mean; of a report those with rows, then the names of the others."""
    tables = tables_of(lambda name: manifest.rows.get(name, 0) if manifest else 1)
    for table in tables:
        if table.rows != 0:
            size = "view" if table.rows is None else plural(table.rows, "row") if manifest else "table"
            yield f"{table.name}  {size}, one row per {table.grain}"
            yield from (f"  {column.name}  {column.type}  {column.text}".rstrip() for column in table.columns)
    if without_rows := [table.name for table in tables if table.rows == 0]:
        yield f"Without rows: {', '.join(without_rows)}"


def marked_line(text: str, error: SqlError) -> Iterator[str]:
    """The line of the query with a mistake, and a mark below the word at its place."""
    if error.line:
        yield f"  {error.line_of(text)}"
        yield f"  {' ' * (error.column - 1)}{'^' * max(error.length, 1)}"


def in_format(reply: SqlAnswer, name: str, query: str) -> bytes:
    from webapp.sharing.exports.query_files import QUERY_FILES

    if name == "text":
        return visible("".join(f"{line}\n" for line in lines(reply))).encode("utf-8", "backslashreplace")
    content = QUERY_FILES[name].written(reply.rows, query)
    return visible_json(content.decode()).encode() if name == "json" else content


def lines(reply: SqlAnswer) -> Iterator[str]:
    """Columns below each other, numbers to the right."""
    from webapp.reports.values.query_cells import cell, values_of

    columns = [[cell(value) for value in values_of(column)] for column in reply.rows.columns]
    widths = [
        max(len(name), *(len(value.text) for value in column), 0)
        for name, column in zip(reply.rows.column_names, columns, strict=True)
    ]
    yield joined(name.ljust(width) for name, width in zip(reply.rows.column_names, widths, strict=True))
    for row in zip(*columns, strict=True):
        yield joined(
            value.text.rjust(width) if value.look == "number" else value.text.ljust(width)
            for value, width in zip(row, widths, strict=True)
        )


def joined(cells: Iterable[Any]) -> str:
    return "  ".join(cells).rstrip()
