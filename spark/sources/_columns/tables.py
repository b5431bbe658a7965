"""Which form a table has, and its rows.

ruled        a rule of dashes below the names (ruled.py)
delimited    comma, semicolon, tab or bar between cells, quoted as in RFC 4180; the first line may hold names
expanded     a line for each column of a row (expanded.py)
aligned      names in the first line, cells below them, set apart by columns of spaces in all lines
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

from spark.sources._columns.expanded import expanded_rows, is_head
from spark.sources._columns.guess import role_of
from spark.sources._columns.rows import Cells, PlacedLine, TableRow, placed_lines
from spark.sources._columns.ruled import is_rule, ruled_rows
from spark.sources._lines.lines import MAX_BYTES

csv.field_size_limit(MAX_BYTES)

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
RULED, EXPANDED, ALIGNED = "ruled", "expanded", "aligned"
TITLES = {
    RULED: "a table with ruled lines",
    EXPANDED: "a table with a line for each column",
    ALIGNED: "a table with aligned columns",
} | {mark: f"a table with a {name} between columns" for mark, name in DELIMITERS.items()}
MAX_LINE_CHARACTERS = 1 << 20
SAMPLED = 200  # rows that decide the form
ALIKE = 0.9  # of them, that have as many cells as the first
NAME = re.compile(r"[^\W\d][^\n{}\[\]\"=]{0,80}|[@$_.][\w.$@]{1,80}")
DIGITS = re.compile(r"\d+")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
FENCES = ("```", "~~~", "{noformat}", "{code")


@dataclass(frozen=True)
class UnknownTable:
    """A table's form, its names (none where no line has them), and its first rows."""

    form: str
    names: tuple[str, ...]
    width: int
    sample: tuple[tuple[str, ...], ...]

    @property
    def title(self) -> str:
        return TITLES[self.form]

    @property
    def labels(self) -> list[str]:
        """How columns are called: by name, else by number."""
        return list(self.names) or [f"#{number + 1}" for number in range(self.width)]


@lru_cache(maxsize=2)  # recognition, the question and the plan ask for the same head
def find_table(head: bytes, is_cut: bool, by_number: bool = False) -> UnknownTable | None:
    """The table in a head. `by_number`: a user names columns by number, so a first line of texts is a row."""
    if b"\0" in head[:4096] or not head.strip():
        return None
    lines = list(placed_lines(head))
    lines = lines[:-1] if is_cut else lines
    inner = within_fence(lines)
    return (
        expanded_table(lines)
        or ruled_table(lines)
        or delimited_table(inner, by_number)
        or aligned_table(inner)
    )


def within_fence(lines: list[PlacedLine]) -> list[PlacedLine]:
    """The lines within the first fence, all if there is none."""
    fences = [number for number, line in enumerate(lines) if line.text.lstrip().startswith(FENCES)]
    end = fences[1] if len(fences) > 1 else len(lines)
    return lines[fences[0] + 1 : end] if fences else lines


def expanded_table(lines: Sequence[PlacedLine]) -> UnknownTable | None:
    is_one = any(is_head(line.text) for line in lines)
    return first_table(EXPANDED, expanded_rows(iter(lines))) if is_one else None


def ruled_table(lines: Sequence[PlacedLine]) -> UnknownTable | None:
    is_one = any(is_rule(line.text) for line in lines)
    return first_table(RULED, ruled_rows(iter(lines))) if is_one else None


def first_table(form: str, rows: Iterable[TableRow | Cells | PlacedLine]) -> UnknownTable | None:
    """The first table with rows."""
    names: Cells = []
    sample: list[tuple[str, ...]] = []
    for row in rows:
        if isinstance(row, list):
            if sample and row != names:
                break
            names = row
        elif isinstance(row, TableRow) and row.cells is not None:
            sample.append(tuple(row.cells))
    is_table = len(sample) > 0 and len(names) > 1 and len(set(names)) == len(names)
    return UnknownTable(form, tuple(names), len(names), tuple(sample[:SAMPLED])) if is_table else None


def delimited_table(lines: Sequence[PlacedLine], by_number: bool) -> UnknownTable | None:
    """By the separator that cuts most lines into as many cells; a separator whose names say what they are goes first."""
    candidates: list[tuple[float, UnknownTable]] = []
    for delimiter in DELIMITERS:
        first = next((line.text for line in lines if line.text.strip()), "")
        if delimiter not in first or len(first) > MAX_LINE_CHARACTERS:
            continue
        rows = [
            tuple(row.cells)
            for row in islice(delimited_rows(iter(lines), delimiter, 0), SAMPLED + 1)
            if row.cells
        ]
        width = len(rows[0]) if rows else 0
        share = sum(len(row) == width for row in rows) / max(len(rows), 1)
        names = rows[0] if width > 1 and has_names(rows, by_number) else ()
        sample = tuple(row for row in rows[bool(names) :] if len(row) == width)
        if not names and any(not "".join(cells).strip() for cells in zip(*sample, strict=True)):
            continue  # a bar before each line
        has_offset = "offset" in map(role_of, names)
        if width > 1 and sample and (share >= ALIKE or has_offset):
            candidates.append(
                (has_offset * 10 + share + width / 100, UnknownTable(delimiter, names, width, sample))
            )
    return max(candidates, key=lambda scored: scored[0], default=(0, None))[1]


def has_names(rows: Sequence[Sequence[str]], by_number: bool) -> bool:
    """Whether the first line names columns: distinct names, and below them cells of another kind, or names that exports use."""
    first = [cell.strip() for cell in rows[0]]
    if not all(NAME.fullmatch(name) for name in first) or len(set(first)) < len(first):
        return False
    if not any(map(role_of, first)) and are_alike(rows):
        return False
    is_telling = any(map(role_of, first)) or any(
        NUMBER.fullmatch(cell.strip()) for row in rows[1:4] for cell in row
    )
    return is_telling or not by_number


def are_alike(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row has numbers where all rows have them, and looks like most of the others: `k0;v0`, `k1;v1`."""
    shapes = [[DIGITS.sub("9", cell) for cell in row] for row in rows]
    is_numbered = any("9" in cell for cell in shapes[0])
    return is_numbered and sum(shape == shapes[0] for shape in shapes[1:]) * 2 > len(rows) - 1


def aligned_table(lines: Sequence[PlacedLine]) -> UnknownTable | None:
    """At least three lines below one another with the same columns of spaces; a tab is no space."""
    filled = [line for line in lines if line.text.strip()]
    spans = spans_of(filled[: SAMPLED + 1])
    if len(filled) < 3 or len(spans) < 2:
        return None
    names, *sample = (tuple(cells_at(line.text, spans)) for line in filled[: SAMPLED + 1])
    is_table = all(map(NAME.fullmatch, names)) and len(set(names)) == len(names)
    return UnknownTable(ALIGNED, names, len(names), tuple(sample)) if is_table else None


def spans_of(lines: Sequence[PlacedLine]) -> list[tuple[int, int | None]]:
    """Columns of characters: between columns that are blank in all lines, as far as the first line has a name in each."""
    if not lines or any("\t" in line.text for line in lines):
        return []
    names = [match.span() for match in re.finditer(r"\S+(?: \S+)*", lines[0].text)]
    width = max(len(line.text) for line in lines)
    if width > MAX_LINE_CHARACTERS:
        return []
    is_blank = [all(line.text[at : at + 1] in ("", " ") for line in lines) for at in range(width)]
    starts = [0]
    for (_, end), (start, _) in pairwise(names):
        blank = next((at for at in range(end, start) if at < width and is_blank[at]), None)
        # names to the left of their cells, or to the right of them
        blank = next((at for at in range(start - 1, end - 1, -1) if is_blank[at]), blank)
        if blank is None:
            return []
        starts.append(blank + 1)
    return list(zip(starts, [*starts[1:], None], strict=True))


def cells_at(text: str, spans: Sequence[tuple[int, int | None]]) -> Cells:
    return [text[start:end].strip() for start, end in spans]


def table_rows(content: bytes, table: UnknownTable) -> Iterator[TableRow | PlacedLine]:
    """All rows below the names, in a file, and lines around ruled tables."""
    lines = placed_lines(content)
    if table.form in (RULED, EXPANDED):
        rows = ruled_rows(lines) if table.form == RULED else expanded_rows(lines)
        yield from rows_under(rows, list(table.names))
        return
    if any(fence.encode() in content for fence in FENCES):
        lines = iter(within_fence(list(lines)))
    if table.form == ALIGNED:
        filled = [line for line in lines if line.text.strip()]
        spans = spans_of(filled) or spans_of(filled[: SAMPLED + 1])
        for line in filled[1:]:
            is_cut_well = all(not line.text[start - 1 : start].strip() for start, _ in spans if start)
            yield TableRow(
                line.start, line.end, cells_at(line.text, spans) if is_cut_well else None, line.raw
            )
    else:
        yield from islice(delimited_rows(lines, table.form, table.width), bool(table.names), None)


def rows_under(
    rows: Iterable[TableRow | Cells | PlacedLine], names: Cells
) -> Iterator[TableRow | PlacedLine]:
    """Rows of tables with these names; those of other tables are unreadable by them."""
    is_same = False
    for row in rows:
        if isinstance(row, list):
            is_same = row == names
        else:
            yield (
                row if is_same or isinstance(row, PlacedLine) else TableRow(row.start, row.end, None, row.raw)
            )


def delimited_rows(lines: Iterator[PlacedLine], delimiter: str, width: int) -> Iterator[TableRow]:
    """Rows that may go over several lines, blank ones left out; `width`: cells that a row has, 0: any number."""
    taken: list[PlacedLine] = []

    def texts() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line.raw.decode("utf-8", "replace")

    for cells in csv.reader(texts(), delimiter=delimiter):
        start, end = taken[0].start, taken[-1].end
        raw = b"".join(line.raw for line in taken)
        taken.clear()
        if cells:
            suits = width in (0, len(cells))
            yield TableRow(start, end, cells if suits else None, raw, len(cells))


__all__ = ["UnknownTable", "find_table", "table_rows"]
