"""Tables with a line for each column of a row, as SQL clients print wide rows.

    psql \\x     -[ RECORD 1 ]-+-----          mysql \\G    ****** 1. row ******
                key           | k                           key: k
                payload       | line one+               payload: line one
                              | line two            line two

In psql a `+` behind a cell says that the cell goes on in the next line. In MySQL a line goes on with the cell above it where no
column's name ends above the first colon. A row whose columns are not those of the first row is unreadable.
Sources: psql `print.c` (`print_aligned_vertical`), MySQL `client/mysql.cc` (`print_table_data_vertically`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from spark.sources._columns.rows import Cells, PlacedLine, TableRow

RECORD = re.compile(r"\s{0,20}\+?[-─═]\[ RECORD \d+ \][-─═+┬╤╥╦=]*\+?\s*")
ROW = re.compile(r"\s{0,20}\*{3,} ?\d+\. row \*{3,}\s*")
FIELD = re.compile(r"(?:[|│║] )?(?P<name>[^|│║]*?)\s*[|│║](?: (?P<cell>.*))?")
COUNT = re.compile(
    r"\s*(?:\(\d+ rows?\)|\d+ rows? in set.*|\+[-─]+\+[-─]*\+|(?:mysql|MariaDB)\b.*>.*|```.*|~~~.*|\{(?:noformat|code)\}.*)"
)


@dataclass
class Vertical:
    """A row as far as it was read. `colon`: where the names of MySQL end; -1: psql."""

    start: int
    end: int
    colon: int = -1
    names: Cells = field(default_factory=list)
    cells: Cells = field(default_factory=list)
    goes_on: bool = False  # the last cell, in psql
    is_odd: bool = False
    raw: bytes = b""
    indent: str = ""  # of the whole table, as in a list or a block of code

    def take(self, line: PlacedLine) -> None:
        self.end, self.raw = line.end, self.raw + line.raw
        if self.colon == -1:
            self.take_bars(line.text.removeprefix(self.indent))
        else:
            self.take_colon(line.text.removeprefix(self.indent))

    def take_bars(self, text: str) -> None:
        match = FIELD.fullmatch(text)
        if match is None:
            self.is_odd = True
            return
        cell = (match["cell"] or "").rstrip()
        cell = cell.removesuffix("|").rstrip() if text.startswith("| ") else cell
        goes_on = cell.endswith("+")
        cell = cell.removesuffix("+").rstrip() if goes_on else cell
        if self.goes_on and not match["name"]:
            self.cells[-1] += f"\n{cell}"
        elif match["name"]:
            self.names.append(match["name"])
            self.cells.append(cell)
        else:
            self.is_odd = True
        self.goes_on = goes_on

    def take_colon(self, text: str) -> None:
        if not self.names:
            self.colon = text.find(": ") if ": " in text else text.find(":")
        name = text[: self.colon].strip()
        if self.colon > 0 and text[self.colon : self.colon + 1] == ":" and name and "  " not in name:
            self.names.append(name)
            self.cells.append(text[self.colon + 2 :])
        elif self.cells:
            self.cells[-1] += f"\n{text}"
        else:
            self.is_odd = True

    def row(self, names: Cells) -> TableRow:
        is_whole = not self.is_odd and self.names == names
        cells = [cell.rstrip("\n") for cell in self.cells] if is_whole else None
        return TableRow(self.start, self.end, cells, self.raw, len(self.cells))


def is_head(text: str) -> bool:
    return RECORD.fullmatch(text) is not None or ROW.fullmatch(text) is not None


def expanded_rows(lines: Iterator[PlacedLine]) -> Iterator[TableRow | Cells | PlacedLine]:
    """The names of the columns, then the rows; lines around them as they are."""
    row: Vertical | None = None
    names: Cells = []
    for line in lines:
        is_begun = is_head(line.text)
        is_end = COUNT.fullmatch(line.text) is not None or (row and row.colon == -1 and not line.text.strip())
        if row and not (is_begun or is_end):
            row.take(line)
            continue
        if row:
            if not names and not row.is_odd:
                names = row.names
                yield names
            yield row.row(names)
        row = None
        if is_begun:
            indent = line.text[: len(line.text) - len(line.text.lstrip())]
            row = Vertical(
                line.start, line.end, 0 if ROW.fullmatch(line.text) else -1, raw=line.raw, indent=indent
            )
        elif not is_end and line.text.strip():
            yield line
    if row:
        if not names:
            yield row.names
            names = row.names
        yield row.row(names)
