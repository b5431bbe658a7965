"""What is asked where a file is a table, or JSON, and its columns do not tell for sure what they contain. The document:

file, title     name of the file; "a table with a comma between columns"
sentence        what the file is and what to do, or what is wrong with the user's mapping
is_sure         whether it is a table with names: no log, and no prose with commas
columns         how each is called in a mapping: [{"label", "text"}], text as a mapping has it
rows            the first three, a text or null a column
guess           part -> text of the column; may be empty
mapping         the guess as a mapping; empty where a record would have neither key nor value
format          the likely format of `kcat -f`; may be empty. Alone, without columns, where the file is no table
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spark.sources import InputFile
from spark.sources._columns.guess import Guess, guess, role_of
from spark.sources._columns.members import MISSING, Objects, find_objects, resolved
from spark.sources._columns.record_objects import are_values
from spark.sources._columns.rows import TableRow
from spark.sources._columns.tables import ALIGNED, UnknownTable, find_table, table_rows
from spark.sources._command import columns_in
from spark.terms.column_mapping import ColumnName, NotAMapping, parsed_columns, quoted, written_columns
from spark.terms.installation import COMMAND_NAME
from spark.terms.wording import listed, plural, some

SAMPLE_ROWS = 3
MAX_COLUMNS = 60
MAX_CELL = 40  # characters of a cell in a terminal
MIN_ROWS = 2
MIN_ROWS_OF_TWO = 5  # in a table of two columns whose names tell nothing: prose has commas, too


@dataclass(frozen=True)
class FoundColumns:
    """What a head has: columns with their first cells, and the guess."""

    title: str
    noun: str  # what columns are called
    labels: Sequence[str]
    rows: Sequence[Sequence[str | None]]
    guess: Guess
    count: str  # of rows, in words
    is_sure: bool = False

    def absent(self, columns: Mapping[str, ColumnName]) -> list[ColumnName]:
        """Columns of a mapping that are not there."""
        return [
            column
            for column in columns.values()
            if not (0 < column.number <= len(self.labels) if column.number else column.name in self.labels)
        ]


def of_table(table: UnknownTable, count: str = "") -> FoundColumns:
    labels = table.labels
    suggestion = guess(labels, table.sample, bool(table.names))
    is_sure = bool(table.names) and table.form != ALIGNED and table.width > 1
    return FoundColumns(table.title, "column", labels, table.sample, suggestion, count, is_sure)


def of_objects(objects: Objects, count: str = "") -> FoundColumns:
    rows = objects.rows()
    suggestion = without_strangers(guess(objects.paths, rows), objects.paths, rows)
    if are_values(objects.sample):
        suggestion = suggestion.of_values
    return FoundColumns(objects.title, "member", objects.paths, rows, suggestion, count)


def without_strangers(
    suggestion: Guess, labels: Sequence[str], rows: Sequence[Sequence[str | None]]
) -> Guess:
    """The guess without key and value, if each is somewhere and no object has both: they are of different things."""
    sides = [
        labels.index(column.name) for role in ("key", "value") if (column := suggestion.columns.get(role))
    ]
    filled = [[row[number] is not None for number in sides] for row in rows]
    is_apart = len(sides) == 2 and all(map(any, zip(*filled, strict=True))) and not any(map(all, filled))
    return replace(
        suggestion,
        columns={
            role: column
            for role, column in suggestion.columns.items()
            if not is_apart or role not in ("key", "value")
        },
    )


def has_path(objects: Objects, column: ColumnName) -> bool:
    return not column.number and any(
        resolved(members, column.name) is not MISSING for members in objects.sample
    )


def mapping_of(file: InputFile) -> dict[str, ColumnName]:
    """The user's mapping for a file; empty if there is none, or none that can be read."""
    text = columns_in(file.command)
    try:
        return parsed_columns(text) if text else {}
    except NotAMapping:
        return {}


def found_columns(file: InputFile, head: bytes) -> FoundColumns | None:
    """The columns of a table, or of JSON objects, of at least two rows."""
    is_cut = file.size_bytes > len(head)
    at_least = "at least " if is_cut else ""
    if objects := find_objects(head):
        number = len(objects.sample)
        return of_objects(objects, at_least + plural(number, "object")) if number >= MIN_ROWS else None
    by_number = all(column.number for column in mapping_of(file).values()) and bool(mapping_of(file))
    table = find_table(head, is_cut, by_number)
    if table is None:
        return None
    number = sum(isinstance(row, TableRow) for row in table_rows(head, table))
    is_narrow = table.width == 2 and not any(map(role_of, table.names))
    is_enough = number >= (MIN_ROWS_OF_TWO if is_narrow else MIN_ROWS)
    return of_table(table, at_least + plural(number, "row")) if is_enough else None


def question_on(file: InputFile, head: bytes, upload: str = "") -> dict[str, Any] | None:
    """What to ask about a file that no layout recognised; None if it is neither a table nor JSON objects. `upload`: the name of the
    file that it is a piece of."""
    in_file = found_columns(file, head)
    if in_file is None or len(in_file.labels) > MAX_COLUMNS:
        return None
    columns = mapping_of(file)
    is_usable = bool({"key", "value"}.intersection(in_file.guess.columns))
    is_right = columns and not in_file.absent(columns)
    guessed = columns if is_right else in_file.guess.columns
    return {
        "file": upload or file.name,
        "title": in_file.title,
        "is_sure": in_file.is_sure,
        "sentence": sentence_on(file, in_file, columns),
        "columns": [
            {
                "label": label,
                "text": quoted(ColumnName("", number + 1) if label.startswith("#") else ColumnName(label)),
            }
            for number, label in enumerate(in_file.labels)
        ],
        "rows": [list(row) for row in in_file.rows[:SAMPLE_ROWS]],
        "guess": {role: quoted(column) for role, column in guessed.items()},
        "mapping": written_columns(guessed) if is_usable else "",
    }


def question_on_format(file: InputFile, text: str) -> dict[str, Any]:
    """What to ask about rows that a format of kcat reads, but that other formats may have printed."""
    sentence = (
        f"{file.name} has rows that look like output of kcat -f, and the command with the format is missing. "
        f"The rows match {text}, but not only this format. Confirm the format or enter the right one."
    )
    nothing = {"columns": [], "rows": [], "guess": {}, "mapping": "", "is_sure": False}
    return {"file": file.name, "title": "rows of kcat -f", "sentence": sentence, "format": text, **nothing}


def sentence_on(file: InputFile, in_file: FoundColumns, columns: Mapping[str, ColumnName]) -> str:
    names = some([f"“{label}”" for label in in_file.labels], 12)
    if absent := in_file.absent(columns):
        missing = listed([f"“{column}”" for column in absent])
        return f"{file.name} has no {in_file.noun} {missing}. Its {in_file.noun}s are {names}."
    if columns:
        return f"{file.name} has no row with a whole number in the {in_file.noun} of the offset. Its {in_file.noun}s are {names}."
    return (
        f"{file.name} is {in_file.title}: {in_file.count}, {in_file.noun}s {names}. No known dump has these {in_file.noun}s. "
        f"Name the {in_file.noun}s that contain the parts of a record."
    )


def in_terminal(question: Mapping[str, Any]) -> str:
    """The question with its first rows and the command that answers it."""
    if not question["columns"]:
        command = shlex.join(["manage.py", "inspect", "--text-format", question["format"], question["file"]])
        return f"{question['sentence']}\n\n  {command}"
    labels = [column["label"] for column in question["columns"]]
    rows = [[short(cell) for cell in row] for row in [labels, *question["rows"]]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(labels))]
    lines = [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    mapping = question["mapping"] or "key=COLUMN,value=COLUMN"
    is_guess = "The likely columns, by their names and values" if question["mapping"] else "For example"
    command = shlex.join([COMMAND_NAME, "inspect", "--columns", mapping, question["file"]])
    return "\n".join([question["sentence"], "", *lines, "", f"{is_guess}:", f"  {command}"])


def short(cell: str | None) -> str:
    text = "" if cell is None else " ".join(cell.split())
    return text if len(text) <= MAX_CELL else text[: MAX_CELL - 1] + "…"
