"""How to read a text, as a user says it: kcat's format string, or which columns contain the parts of a record.

The grammar of formats is that of `spark/sources/kcat_format.py`; tests/webapp/journals/test_text_formats.py holds both together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from spark.terms.column_mapping import ROLES, NotAMapping, is_mapping, parsed_columns

MAX_CHARACTERS = 300
FIELD = re.compile(r"%([sSkKtpoTh])")
TOO_LONG = f"The names of the columns are longer than {MAX_CHARACTERS} characters together. Name columns by number, such as #3."
NOT_A_FORMAT = "“{text}” is not a format of kcat. Enter it as after `kcat -f`, with %s or %k, each field once. Example: %t %p %o %k %s\\n"


def cleaned(text: str) -> str:
    """The text without shell quotes around it."""
    text = text.strip()
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if is_quoted else text


def complaint(text: str) -> str:
    """Sentence about an invalid format, or an invalid mapping of columns; else empty."""
    if is_mapping(text):
        return complaint_about_columns(text)
    fields = FIELD.findall(text)
    is_format = len(fields) == len(set(fields)) and {"s", "k"}.intersection(fields)
    is_short = len(text) <= MAX_CHARACTERS and text.isprintable()
    return "" if is_format and is_short else NOT_A_FORMAT.format(text=text[:60])


def complaint_about_columns(text: str) -> str:
    try:
        parsed_columns(text)
    except NotAMapping as problem:
        return str(problem)
    return "" if len(text) <= MAX_CHARACTERS else TOO_LONG


class Choice(NamedTuple):
    """A part of a record, and the text of the column that the guess has for it; empty: none."""

    role: str
    chosen: str


def choices(question: Mapping[str, Any]) -> list[Choice]:
    """The selects of the form that asks for columns."""
    return [Choice(role, question["guess"].get(role, "")) for role in ROLES]


def of_choices(posted: Mapping[str, str]) -> str:
    """The mapping that the selects say."""
    chosen = {role: posted.get(role, "") for role in ROLES}
    return ",".join(f"{role}={column}" for role, column in chosen.items() if column)
