"""Tables as tools print them, made from known records: what the tests of the guess and of the readers read back."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

Rows = Sequence[Sequence[str]]


def delimited(delimiter: str) -> Callable[[Sequence[str], Rows], str]:
    def written(names: Sequence[str], rows: Rows) -> str:
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows([names, *rows])
        return out.getvalue()

    return written


def markdown(names: Sequence[str], rows: Rows) -> str:
    lines = [names, ["---"] * len(names), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def widths_of(names: Sequence[str], rows: Rows) -> list[int]:
    return [max(len(line[column]) for line in [names, *rows]) for column in range(len(names))]


def boxed(names: Sequence[str], rows: Rows) -> str:
    """As MySQL's client."""
    widths = widths_of(names, rows)
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+\n"
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |\n"
        for line in [names, *rows]
    ]
    return rule + lines[0] + rule + "".join(lines[1:]) + rule + f"{len(rows)} rows in set (0.00 sec)\n"


def psql(names: Sequence[str], rows: Rows) -> str:
    widths = widths_of(names, rows)
    lines = [
        " "
        + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip(" ")
        + "\n"
        for line in [names, *rows]
    ]
    rule = "+".join("-" * (width + 2) for width in widths) + "\n"
    return lines[0] + rule + "".join(lines[1:]) + f"({len(rows)} rows)\n\n"


def spark(names: Sequence[str], rows: Rows) -> str:
    """As `DataFrame.show(truncate=False)`."""
    widths = [max(3, width) for width in widths_of(names, rows)]
    rule = "+" + "+".join("-" * width for width in widths) + "+\n"
    lines = [
        "|" + "|".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) + "|\n"
        for line in [names, *rows]
    ]
    return rule + lines[0] + rule + "".join(lines[1:]) + rule + "\n"


def drawn(names: Sequence[str], rows: Rows) -> str:
    """As ClickHouse's PrettyCompact."""
    widths = widths_of(names, rows)
    pairs = list(zip(names, widths, strict=True))
    top = "┌─" + "─┬─".join(name.ljust(width, "─") for name, width in pairs) + "─┐\n"
    lines = [
        "│ " + " │ ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " │\n"
        for row in rows
    ]
    return top + "".join(lines) + "└─" + "─┴─".join("─" * width for width in widths) + "─┘\n"


def underlined(names: Sequence[str], rows: Rows) -> str:
    """As sqlcmd and SQL*Plus: columns of spaces below dashes."""
    widths = widths_of(names, rows)
    lines = [
        " ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n"
        for line in [names, ["-" * max(2, width) for width in widths], *rows]
    ]
    return "".join(lines)


def json_lines(names: Sequence[str], rows: Rows) -> str:
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)


def json_list_within(names: Sequence[str], rows: Rows) -> str:
    objects = [{"_id": "x", "_source": dict(zip(names, row, strict=True))} for row in rows]
    return json.dumps({"took": 3, "hits": {"total": len(rows), "hits": objects}}, indent=1)


FORMS: dict[str, Callable[[Sequence[str], Rows], str]] = {
    "comma": delimited(","),
    "semicolon": delimited(";"),
    "tab": delimited("\t"),
    "bar": delimited("|"),
    "markdown": markdown,
    "boxed": boxed,
    "psql": psql,
    "spark": spark,
    "drawn": drawn,
    "underlined": underlined,
    "json lines": json_lines,
    "json within": json_list_within,
}
ONE_LINE = {"markdown", "boxed", "psql", "spark", "drawn", "underlined"}
LETTERS = "abcXYZ 09_-./:äß€"


def text(chance: random.Random, letters: str = LETTERS) -> str:
    """A text that a table without quotes can hold: no spaces at its ends, and not empty."""
    return "k" + "".join(chance.choice(letters) for _ in range(chance.randrange(12))).strip() + "v"


def document(chance: random.Random, form: str) -> str:
    members: dict[str, Any] = {text(chance): chance.choice([1, None, "x,y", 'quo"te', "semi;colon", [1, {}]])}
    if form in {"markdown", "boxed", "psql", "spark", "comma"}:
        members["bar"] = "a|b"
    return json.dumps(
        members, ensure_ascii=False, indent=1 if form not in ONE_LINE and chance.random() < 0.3 else None
    )
