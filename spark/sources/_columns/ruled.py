"""Tables whose header has a rule of dashes below it, as SQL clients, Spark, Markdown and box drawings have it.

    | a | b |     +---+---+      a | b      ┌───┬───┐      ┌─a─┬─b─┐      a   b
    |---|---|     | a | b |     ---+---     │ a │ b │      │ 1 │ 2 │      --- ---
    | 1 | 2 |     +---+---+      1 | 2      ├───┼───┤      └───┴───┘      1   2

A cell that contains a bar is cut by the positions of the header's bars. In psql a `+` in place of the last space of a cell
says that the cell goes on in the next line. Lines around the tables are no rows; a table that is printed again continues the first.
Sources: psql `print.c`, Spark `Dataset.showString`, ClickHouse `PrettyCompactBlockOutputFormat`, GFM's tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from spark.sources._columns.rows import Cells, PlacedLine, TableRow

BARS = {"|": re.compile(r"\|"), "│": re.compile("[│┃║]")}
ASCII_RULE = re.compile(
    r"\s{0,20}[+|]?\s?:?[-=]{2,}:?\s?(?:[+|]\s?:?[-=]{2,}:?\s?)+[+|]?\s*|\s{0,20}\+[-=]{2,}\+\s*"
)
BOX_RULE = re.compile(r"\s{0,20}[┌├└╔╠╚┏┡┗╞╒╘╟][─━═┬┼┴╦╬╩┳╇┻╪╤╧╫]+[┐┤┘╗╣╝┓┩┛╡╕╛╢]?\s*")
NAMED_RULE = re.compile(r"\s{0,20}┌─(?P<names>[^┐]*[^─┬┐][^┐]*)─┐\s*")
SPACED_RULE = re.compile(r"\s{0,20}-{2,}(?: +-{2,})+\s*")
ROW_NUMBER = re.compile(r"\A\s*\d+\.\s*(?=[│┃║])")
ESCAPED_BAR = re.compile(r"(?<!\\)\|")
COUNT = re.compile(r"\s*\(\d+ rows?(?: affected)?\)|\d+ rows? in set.*|\s*\d+ rows? selected\.?", re.I)


@dataclass
class RuledTable:
    """The header that the rows are read by, and what is known of its form."""

    names: Cells
    bar: str = "|"
    is_markdown: bool = False
    is_framed: bool = True  # bars at both ends of a row
    bars_at: list[int] = field(default_factory=list)  # of the header, in characters
    widths: list[int] = field(default_factory=list)  # of the header's cells with their padding
    spans: list[tuple[int, int | None]] = field(default_factory=list)  # of columns set apart by spaces

    def cells(self, text: str) -> list[str] | None:
        """A row's cells with their padding; None if it has more or fewer than the header."""
        if self.spans:
            return spaced_cells(text, self.spans)
        pieces = inner_cells(text, self.bar, self.is_markdown, self.is_framed)
        if len(pieces) == len(self.names):
            return pieces
        if len(pieces) > len(self.names) and all(text[at : at + 1] == self.bar for at in self.bars_at):
            ends = [*self.bars_at, len(text)]
            cuts = [text[a + 1 : b] for a, b in zip([-1, *self.bars_at], ends, strict=True)]
            return cuts[1:-1] if self.is_framed else cuts
        return None

    def continued(self, cells: list[str]) -> set[int]:
        """Columns whose cell goes on in the next line."""
        if self.is_markdown or self.spans or self.bar != "|":
            return set()
        return {
            column
            for column, (cell, width) in enumerate(zip(cells, self.widths, strict=True))
            if len(cell) == width and cell.endswith("+") and width > 2
        }


def inner_cells(text: str, bar: str, is_markdown: bool, is_framed: bool) -> list[str]:
    """What stands between bars, without the bars at both ends."""
    text = ROW_NUMBER.sub("", text, count=1) if bar != "|" else text
    pieces = ESCAPED_BAR.split(text) if is_markdown else BARS[bar].split(text)
    if is_framed and len(pieces) > 1 and not pieces[0].strip():
        pieces = pieces[1:]
        pieces = pieces[:-1] if pieces and not pieces[-1].strip() else pieces
    return [piece.replace("\\|", "|") for piece in pieces] if is_markdown else pieces


def spaced_cells(text: str, spans: list[tuple[int, int | None]]) -> list[str] | None:
    """Cells by the columns of characters; None if a cell reaches into the space before the next one."""
    if any(start and text[start - 1 : start].strip() for start, _ in spans):
        return None
    return [text[start:end] for start, end in spans]


def table_above(rule: str, header: str | None) -> RuledTable | None:
    """The table that a rule begins: below its header, or with the names within the rule itself."""
    if named := NAMED_RULE.fullmatch(rule):
        bars_at = [match.start() for match in re.finditer("[┌┬┐]", rule)]
        return RuledTable([name.strip("─") for name in named["names"].split("┬")], "│", bars_at=bars_at)
    if header is None or not header.strip():
        return None
    if SPACED_RULE.fullmatch(rule):
        dashes = [match.span() for match in re.finditer("-+", rule)]
        ends = [start for start, _ in dashes[1:]]
        spans = list(zip([start for start, _ in dashes], [*ends, None], strict=True))
        cells = spaced_cells(header, spans)
        return RuledTable([cell.strip() for cell in cells], spans=spans) if cells else None
    bar = "|" if ASCII_RULE.fullmatch(rule) else "│" if BOX_RULE.fullmatch(rule) else ""
    if not bar or not BARS[bar].search(header):
        return None
    is_markdown = bar == "|" and "+" not in rule
    is_framed = BARS[bar].match(header.lstrip()) is not None
    cells = inner_cells(header, bar, is_markdown, is_framed)
    if is_markdown and len(cells) != len(inner_cells(rule, bar, True, rule.lstrip().startswith(bar))):
        return None
    bars_at = [match.start() for match in BARS[bar].finditer(header)]
    return RuledTable(
        [cell.strip() for cell in cells], bar, is_markdown, is_framed, bars_at, [*map(len, cells)]
    )


def is_rule(text: str) -> bool:
    return any(rule.fullmatch(text) for rule in (ASCII_RULE, BOX_RULE, NAMED_RULE, SPACED_RULE))


def ruled_rows(lines: Iterator[PlacedLine]) -> Iterator[TableRow | Cells | PlacedLine]:
    """The names of each table, then its rows; lines that belong to none as they are."""
    table: RuledTable | None = None
    above: PlacedLine | None = None  # may be a table's names
    waiting: TableRow | None = None
    continued: set[int] = set()
    for line in lines:
        if is_rule(line.text):
            begun = table_above(line.text, above.text if above else None)
            if table is None and begun:
                table = begun
                yield table.names
            elif above:
                yield above
            above = None
            continue
        if table is None or not is_row(table, line.text):
            yield from filter(None, [waiting, above])
            table, waiting, above = None, None, line if is_telling(line.text) else None
            continue
        cells = table.cells(line.text)
        if waiting and cells and continued and goes_on(cells, continued):
            waiting = joined(waiting, line, cells, continued)
            continued = table.continued(cells)
            continue
        if waiting:
            yield waiting
        waiting, continued = None, set()
        if cells is None:
            yield TableRow(line.start, line.end, None, line.raw)
        elif [cell.strip() for cell in cells] != table.names:
            continued = table.continued(cells)
            waiting = TableRow(line.start, line.end, first_lines(cells, continued), line.raw)
    yield from filter(None, [waiting, above])


def is_telling(text: str) -> bool:
    """Whether a line outside of tables is more than a fence or a count of rows."""
    return bool(text.strip()) and not COUNT.fullmatch(text) and not text.lstrip().startswith(("```", "~~~"))


def is_row(table: RuledTable, text: str) -> bool:
    if not is_telling(text):
        return False
    return bool(table.spans) or BARS[table.bar].search(text) is not None


def goes_on(cells: list[str], continued: set[int]) -> bool:
    return all(column in continued or not cell.strip() for column, cell in enumerate(cells))


def first_lines(cells: list[str], continued: set[int]) -> list[str]:
    """Cells without padding; of one that goes on only the padding of psql, so that its indentation stays."""
    return [cell[1:-1].rstrip() if column in continued else cell.strip() for column, cell in enumerate(cells)]


def joined(row: TableRow, line: PlacedLine, cells: list[str], continued: set[int]) -> TableRow:
    """The row with one more line of those of its cells that go on."""
    before = row.cells or []
    parts = [
        f"{text}\n{cells[column][1:].removesuffix('+').rstrip()}" if column in continued else text
        for column, text in enumerate(before)
    ]
    return TableRow(row.start, line.end, parts, row.raw)
