r"""kcat with a custom format: `kcat -C -f '%t [%p] at offset %o: key %k: %s\n'`.

    %s value  %S its size  %k key  %K its size  %t topic  %p partition  %o offset  %T timestamp in ms  %h headers `a=b,c=d`
    \n \r \t \\ \xNN as in C; anything else stands for itself. A size of -1 is null; null prints nothing, or NULL with -Z.

The format is that of the command in the paste or of the user's `--text-format`, otherwise the only one that the rows
themselves allow. Without sizes a value ends where the next record can begin. Source: kcat `format.c`, README.
Page: docs/sources/kcat-format.md
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from spark.sources import EXPORT_LACKS, HEAD_BYTES, Chunk, InputFile, Recognition, Source, Split, whole
from spark.sources._command import KCAT, are_nulls_named, behind, reading_command, words_of
from spark.sources._grammar.derive import DerivedFormat, derived, softened
from spark.sources._grammar.fields import RowReading, all_fit
from spark.sources._grammar.layout import DeclaredPrint, labelled
from spark.sources._grammar.template import NEVER, row
from spark.sources._grammar.walk import Between, Walker, chained
from spark.sources._lines.lines import BOM
from spark.sources._lines.records import TextRecord
from spark.storage.files import read_bytes
from spark.terms.column_mapping import is_mapping, parsed_columns

ID = "kcat-format"
TITLE = "kcat with a format"
NAMING = {"o": "offset", "p": "partition", "T": "timestamps"}
FIELDS = {
    "s": "{value}", "k": "{key}", "h": "{headers}", "t": "{topic}", "p": "{partition}", "o": "{offset}", "T": "{time}",
    "S": "{value_size}", "K": "{key_size}",
}  # fmt: skip
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "0": "\0"}
TOKEN = re.compile(r"%(?P<field>[sSkKtpoTh])|\\x(?P<hex>[0-9a-fA-F]{1,2})|\\(?P<escape>.)|(?P<text>.)", re.S)
NULL = b"NULL"
ANY_LINE = r"[^\n]*"


@dataclass(frozen=True)
class Format:
    """A format, its fields, and the walker over its records."""

    text: str
    fields: tuple[str, ...]
    walker: Walker
    null_is_named: bool = False


@lru_cache(maxsize=64)
def parsed(text: str, null_is_named: bool = False, is_soft: bool = False) -> Format | None:
    """A format; None without key and value, or with a duplicate field. `is_soft`: of a print whose blanks at line ends are gone,
    whose tabs became spaces, and whose last row lacks what stands behind its fields."""
    tokens = [*TOKEN.finditer(text)]
    fields = tuple(match["field"] for match in tokens if match["field"])
    if len(fields) != len(set(fields)) or not {"s", "k"}.intersection(fields):
        return None
    pieces = [FIELDS[match["field"]] if match["field"] else "\\" + letter(match) for match in tokens]
    if is_soft:
        pieces = softened(pieces)
    is_line = pieces[-1] == "\\\n"
    if pieces[0] == "\\\n":
        pieces[0] = "{:start}"  # a paste drops the blank line before the first record
    begins = "" if tokens[0]["field"] not in ("s", "k", "h") else ANY_LINE if is_line else NEVER
    form = row("".join(pieces), is_loose=False, begins=begins)
    return Format(
        text, fields, chained((form,), between=b"", end=rb"\s*\Z" if is_soft else rb"\Z"), null_is_named
    )


def letter(match: re.Match[str]) -> str:
    """The text for a piece of a format that is not a field."""
    if match["hex"]:
        return chr(int(match["hex"], 16))
    return ESCAPES.get(match["escape"], match["escape"]) if match["escape"] else match["text"]


def of_command(command: str) -> Format | None:
    words = behind(KCAT, words_of(command)) or []
    text = None
    for number, word in enumerate(words):
        if word == "-f" and number + 1 < len(words):
            text = words[number + 1]
        elif word.startswith("-f") and len(word) > 2:
            text = word[2:]
    return parsed(text, are_nulls_named(words)) if text else None


def begins_record(command: str, text: bytes) -> bool:
    """Whether a record of the format in a kcat command begins at a blank line, or behind it; False where any line may be one."""
    exact = of_command(command)
    form = parsed(exact.text, exact.null_is_named, True) if exact else None
    begins = form.walker.rows[0].begins if form else None
    if begins is None or begins.pattern == ANY_LINE.encode():
        return False
    return any(begins.match(text, position) for position in (0, text.find(b"\n") + 1))


def is_row_open(command: str, text: bytes) -> bool:
    """Whether the last row of the format in a kcat command lacks its end."""
    exact = of_command(command)
    form = parsed(exact.text, exact.null_is_named, True) if exact else None
    pieces = [*form.walker.walk(text)] if form else []
    return bool(pieces) and isinstance(pieces[-1], Between) and pieces[-1].is_begun


def with_text_format(files: list[InputFile], text: str) -> list[InputFile]:
    """Files as if their command had this format, or this mapping of columns; those with a command keep it.

    Raises ValueError for a format without key and value.
    """
    if is_mapping(text):
        parsed_columns(text)
        command = reading_command(text)
    elif parsed(text) is None:
        raise ValueError(
            f"{text!r} is not a format of kcat. Write it as for `kcat -f`, with %s or %k, such as '%t %p %o %k %s\\n'."
        )
    else:
        command = shlex.join(["kcat", "-f", text])
    return [file if file.command else replace(file, command=command) for file in files]


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By the command's format, otherwise by the one that the rows allow."""
    if b"\0\0\0" in head[:64] or not head.strip():
        return Recognition(False, "no text")
    asked_format = of_command(file.command)
    if asked_format:
        share = fit(fitting(asked_format, head, file), head, file.size_bytes > len(head))
        why = f"kcat's format '{asked_format.text}'"
        return Recognition(share > 0, why if share else f"its lines do not match {why}", 96)
    likely = derived_from(head)
    if likely and likely.is_proved:
        score = (
            60 if {"%K", "%S"} & set(re.findall("%.", likely.text)) else 41
        )  # labels alone may be a program's own
        why = f"each record matches kcat's format '{likely.text}', derived from the records"
        return Recognition(True, why, score)
    example = likely.text if likely else r"%t %p %o %k %s\n"
    doubt = "may be output of kcat" if likely else "its rows prove no format of kcat; if it is kcat's output"
    return Recognition(False, f"{doubt}, name the format, such as `--text-format '{example}'`")


def likely_format(file: InputFile, head: bytes) -> str:
    """A format that the rows allow but do not prove; empty if there is none, or a command names one."""
    likely = None if of_command(file.command) else derived_from(head)
    return likely.text if likely else ""


@lru_cache(maxsize=4)
def derived_from(head: bytes) -> DerivedFormat | None:
    """The format that the rows in a head allow."""
    return derived(head.removeprefix(BOM), rows_read)


def rows_read(text: str, content: bytes) -> list[RowReading]:
    """The rows of a format, if it reads every byte and all sizes are right; a last row may be cut. Else none."""
    form, rows = parsed(text), list[RowReading]()
    for piece in form.walker.walk(content) if form else ():
        if isinstance(piece, Between) or not all_fit(piece):
            break
        rows.append(piece)
    if form is None or not rows:
        return []
    at = rows[-1].end
    is_cut = (
        len(content) >= HEAD_BYTES - len(BOM) and form.walker.rows[0].begins.match(content, at) is not None
    )
    return rows if is_cut or not content[at:].strip() else []


def fitting(form: Format, head: bytes, file: InputFile) -> Format:
    """The format, or its soft form if that reads more of the head."""
    soft, is_cut = parsed(form.text, form.null_is_named, True), file.size_bytes > len(head)
    return soft if soft and fit(soft, head, is_cut) > fit(form, head, is_cut) else form


def fit(form: Format, head: bytes, is_cut: bool) -> float:
    """Share of the head's bytes that are records of this format; 1: all, except a last record that the head truncates."""
    text, at = head.removeprefix(BOM), 0
    for piece in form.walker.walk(text):
        if isinstance(piece, Between):
            break
        at = piece.end
    is_rest_cut = is_cut and at > 0 and form.walker.rows[0].begins.match(text, at) is not None
    return 1.0 if is_rest_cut or (at and not text[at:].strip()) else at / max(len(text), 1)


def made(form: Format, reading: RowReading, counted: Counter[str]) -> TextRecord:
    record = labelled(reading)
    record.headers = headers(reading.fields.get("headers"))
    record.key, record.key_is_null = side(form, reading, "key", counted)
    record.value, record.value_is_null = side(form, reading, "value", counted)
    return record


def side(form: Format, reading: RowReading, name: str, counted: Counter[str]) -> tuple[bytes | None, bool]:
    """Key or value, and whether it is null: by its size or its name; one that is not printed is not null."""
    text, size = reading.fields.get(name), reading.number(f"{name}_size")
    if text is None:
        return None, size == -1
    if size is not None:
        counted["misfits"] += size >= 0 and size != len(text)
        return (None, True) if size == -1 and text in (b"", NULL) else (text, False)
    if form.null_is_named and text == NULL:
        return None, True
    counted["nulls_unknown"] += text == b""
    return text, False


def headers(text: bytes | None) -> list[tuple[bytes, bytes | None]] | None:
    """`a=b,c=NULL`; None if the format has no headers."""
    if text is None:
        return None
    pairs = [header.partition(b"=") for header in text.split(b",") if header]
    return [(name, None if value == NULL else value) for name, _, value in pairs]


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    used, likely, is_soft = of_command(file.command), None, False
    if used:
        head = read_bytes(file.path, HEAD_BYTES)
        is_soft = fitting(used, head, file) is not used
    elif likely := derived_from(read_bytes(file.path, HEAD_BYTES)):
        used = parsed(likely.text)
    detail: dict[str, object] = {"format": ""}
    if used:
        lacks = [name for letter, name in NAMING.items() if letter not in used.fields]
        lacks += [] if used.null_is_named or {"K", "S"} <= {*used.fields} else ["null-or-empty"]
        detail = {
            "format": used.text,
            "null_is_named": used.null_is_named,
            "lacks": lacks,
            "is_derived": likely is not None,
            "is_soft": is_soft,
        }
    return whole(ID, file, number, topic, partition, replica, **detail)


def read(split: Split) -> Iterator[Chunk]:
    named = (bool(split.detail.get(name)) for name in ("null_is_named", "is_soft"))
    form = parsed(str(split.detail["format"]), *named)
    if form is None:
        return
    source_of_format = ", which the records themselves show" if split.detail.get("is_derived") else ""
    sentences = [f"Read by kcat's format '{form.text}'{source_of_format}."]
    if "o" not in form.fields:
        sentences.append("The format contains no offsets. The records are numbered.")
    declared = DeclaredPrint(
        ID,
        TITLE,
        form.walker,
        partial(made, form),
        why="",
        otherwise="",
        is_in_log=False,
        sentences=tuple(sentences),
    )
    yield from declared.read(split)


source = Source(
    id=ID,
    title=TITLE,
    kind="export",
    lacks=EXPORT_LACKS,
    recognise=recognise,
    read=read,
    cut=split,
)
