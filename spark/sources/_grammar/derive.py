r"""A format of kcat out of the rows that it printed, where no command names it.

    labels    words that name a field before it, in the same order in every row:  Key (1 bytes): k\nValue (2 bytes): v\nOffset: 5\n
    columns   rows of one line with one separator; the lengths of the rest are the sizes of key and value:  t|0|5|1|2|k|vw

A candidate is made from the first row. It is proved where it reads every byte of the text as rows, all sizes are right, and
an offset or sizes are printed. What could also be read otherwise is a guess, which the user is asked about. `softened`: a format whose print a page has trimmed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice, pairwise, permutations
from typing import NamedTuple

from spark.sources._grammar.fields import RowReading

LABEL = re.compile(
    r"(?i)(?<![\w.\"'$-])(?P<role>topic|partition|offset|timestamp|time|headers?|key|value|payload|message)(?![\w.\"'-])"
    r"(?:(?P<before> ?\()(?P<size>-?\d+)(?P<after> bytes\)))?(?P<gap>[ \t]?[:=]?[ \t]*)(?:(?P<size_2>-?\d+)(?P<after_2> bytes[:=]?[ \t]*))?"
)
TOKENS = {
    "topic": "%t", "partition": "%p", "offset": "%o", "timestamp": "%T", "time": "%T", "header": "%h", "headers": "%h", "key": "%k",
    "value": "%s", "payload": "%s", "message": "%s",
}  # fmt: skip
SIZES = {"%k": "%K", "%s": "%S"}
FREE = ("%k", "%s", "%h")
NUMBER, NAME = re.compile(r"-?\d{1,19}(?!\w)"), re.compile(r"[\w.-]{1,249}")
PLACED = re.compile(
    r"(?P<topic>(?=[\w.-]*[A-Za-z])[\w.-]{1,249})(?P<open> ?\[)(?P<partition>\d{1,10})(?P<close>\])"
)
PARTITION = re.compile(r"(?P<open> ?\[)(?P<partition>\d{1,10})(?P<close>\])")
GAP = re.compile(r"[\s,;|)\]>]*$")
END = re.compile(r"\s*(?:([-=*#_])\1+\s*)?$")
SEPARATORS = re.compile(r"[^\w\s]*\s+|[^\w\s]+")
COLUMN = re.compile(r"[\w.-]*([^\w.\n-]{1,4})")
ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\\": r"\\"}
MAX_LABELS_BYTES = 1 << 14  # in which the second row must begin
MAX_ROWS, MAX_COLUMNS = 6, 10  # tried: beginnings of the second row; columns before key and value
MAX_LABELS = 20
MIN_ROWS, LOOKED_AT = 2, 50  # lines with columns
PLACES = re.compile("%[oKS]")
NAMED = re.compile(
    r"%[KS]|%k[^%]*[A-Za-z]{3}[^%]*%s|%s.*%k|^(?!.*%k)|^(?!.*%s)", re.S
)  # the value has a label, or sizes
BEHIND_KEY, PLAIN = re.compile(r"%k(.+?)%s"), re.compile(rb"[\w./@+-]*")


class DerivedFormat(NamedTuple):
    """`is_proved`: no other reading is possible; else a guess to ask about."""

    text: str
    is_proved: bool


Reading = Callable[[str, bytes], list[RowReading]]


def derived(head: bytes, read: Reading) -> DerivedFormat | None:
    """`read`: the rows of a format, if it reads every byte of a text and all sizes are right; else none."""
    text = head.decode("latin-1")
    if text[:1] in "{[<":
        return None
    least = MIN_ROWS if "\n" in text.strip() else 1
    for group in (*by_labels(text), by_columns(text)):
        readings = {candidate: rows for candidate in group if len(rows := read(candidate, head)) >= least}
        if readings:
            good = [text for text in readings if PLACES.search(text)]
            proper = [text for text in good if has_plain_keys(text, readings[text])]
            plain = proper or good
            is_proved = (
                bool(good)
                and len(set(map(shape, plain))) == 1
                and (bool(proper) or NAMED.search(plain[0]) is not None)
            )
            return DerivedFormat((plain or [*readings])[0], is_proved)
    guesses = (candidate for candidate in unsized(text) if len(read(candidate, head)) >= MIN_ROWS)
    return next((DerivedFormat(candidate, False) for candidate in guesses), None)


def has_plain_keys(text: str, rows: list[RowReading]) -> bool:
    """Whether the separator behind the key is more than a blank, no key contains anything like one, and no value the same."""
    separator = BEHIND_KEY.search(text)
    if separator is None or separator[1] == " ":
        return False
    printed = separator[1].replace(r"\n", "\n").replace(r"\t", "\t").encode("latin-1")
    return all(PLAIN.fullmatch(row.fields.get("key") or b"") and not repeats(row, printed) for row in rows)


def repeats(row: RowReading, separator: bytes) -> bool:
    """Whether the key could also end in what is the value here; that of a document has such separators of its own."""
    value = row.fields.get("value") or b""
    return separator in value and not value.startswith((b"{", b"[", b'"'))


def shape(text: str) -> str:
    """A format without the line feeds around it: where they belong does not matter."""
    return text.replace(r"\n", "\n").strip("\n")


def written(text: str) -> str:
    """Text that stands for itself in a format."""
    return "".join(
        ESCAPES.get(letter, letter if letter >= " " and letter != "%" else f"\\x{ord(letter):02x}")
        for letter in text
    )


def by_labels(text: str) -> Iterator[list[str]]:
    """Formats of rows in which words name the fields, in groups; those with more labels first: a value has such words, too."""
    labels = list(islice(LABEL.finditer(text, 0, MAX_LABELS_BYTES), 60))
    if not labels:
        return
    first = labels[0]
    lead = text[text.rfind("\n", 0, first.start()) + 1 : first.start()]
    placed = PLACED.search(lead)
    ends = [
        label.start() - len(lead) for label in labels[1:]
        if label["role"] == first["role"] and (placed or text[: label.start()].endswith("\n" + lead))
    ][:MAX_ROWS]  # fmt: skip
    if placed:
        ends = [
            text.rfind("\n", 0, label.start()) + 1 for label in labels[1:] if label["role"] == first["role"]
        ][:MAX_ROWS]
    begin = text.rfind("\n", 0, first.start()) + 1
    blocks = [text[begin:end] for end in dict.fromkeys(ends or [len(text)])]
    most = max(sum(1 for _ in LABEL.finditer(block)) for block in blocks)
    for labels_used in range(min(most, MAX_LABELS), 0, -1):
        yield [turn for block in blocks for pieces in labelled(block, labels_used) for turn in turned(pieces)]


def turned(pieces: str) -> Iterator[str]:
    """A format, and the same with the blank line between rows before each."""
    yield pieces
    if pieces.endswith(r"\n\n"):
        yield r"\n" + pieces.removesuffix(r"\n")
    elif not pieces.endswith(r"\n"):
        yield pieces + r"\n"


def labelled(block: str, count: int) -> Iterator[str]:
    """Formats of one row by its first labels."""
    pieces, position, used, free = "", 0, set[str](), ""
    if placed := PLACED.match(block):
        pieces, position, used = f"%t{written(placed['open'])}%p]", placed.end(), {"%t", "%p"}
    for label in islice(LABEL.finditer(block), count):
        mark = TOKENS[label["role"].lower()]
        if label.start() < position or mark in used:
            continue
        gap = block[position : label.start()]
        if free:
            end = GAP.search(gap)
            gap = end[0] if end else ""
        pieces += written(gap) + label["role"]
        for name in ("size", "size_2"):
            if label[name] is not None and (mark not in SIZES or SIZES[mark] in used):
                return
        if label["size"] is not None:
            pieces += f"{written(label['before'])}{SIZES[mark]}{written(label['after'])}"
            used.add(SIZES[mark])
        pieces += written(label["gap"])
        if label["size_2"] is not None:
            pieces += f"{SIZES[mark]}{written(label['after_2'])}"
            used.add(SIZES[mark])
        position, free = label.end(), mark if mark in FREE else ""
        used.add(mark)
        pieces += mark
        if not free:
            field = (NAME if mark == "%t" else NUMBER).match(block, position)
            if field is None:
                return
            position = field.end()
            if mark == "%t" and (behind := PARTITION.match(block, position)):
                pieces, position = pieces + written(behind["open"]) + "%p]", behind.end()
                used.add("%p")
    rest = block[position:]
    end = END.search(rest)
    if not free:
        yield pieces + written(rest)
    elif free == "%k" and "%s" not in used:
        for separator in dict.fromkeys(SEPARATORS.findall(rest.rstrip("\n"))):
            yield f"{pieces}{written(separator)}%s{written(end[0] if end else '')}"
    else:
        yield pieces + written(end[0] if end else "")


def by_columns(text: str) -> Iterator[str]:
    """Formats of rows on one line each, without labels: sizes tell what is key and value."""
    first = COLUMN.match(text)
    if first is None:
        return
    separator = first[1]
    rows = [line.split(separator) for line in text.split("\n")[:LOOKED_AT]]
    for width in range(2, min(MAX_COLUMNS, len(rows[0]) - 1) + 1):
        numeric = [number for number in range(width) if NUMBER.fullmatch(rows[0][number])]
        whole = [
            row
            for row in rows
            if len(row) > width and all(NUMBER.fullmatch(row[number]) for number in numeric)
        ]
        columns = [[row[number] for row in whole] for number in range(width)]
        rests = [separator.join(row[width:]) for row in whole]
        for key, value in permutations(numeric, 2):
            if is_sum(columns[key], columns[value], rests, len(separator)):
                others = roles(
                    [column for number, column in enumerate(columns) if number not in (key, value)]
                )
                if others is None:
                    continue
                names = [
                    ("%K" if number == key else "%S") if number in (key, value) else others.pop(0)
                    for number in range(width)
                ]
                yield written(separator).join([*names, "%k", "%s"]) + r"\n"


def unsized(text: str) -> Iterator[str]:
    """The same without sizes, which no row can prove: a guess, the one with the most columns first."""
    first = COLUMN.match(text)
    rows = [line.split(first[1]) for line in text.split("\n")[:LOOKED_AT] if line] if first else []
    least = min(map(len, rows), default=0)
    for width in range(min(MAX_COLUMNS, least - 1), 0, -1):
        names = roles([[row[number] for row in rows] for number in range(width)])
        if first and names and "%o" in names:
            rest = ["%k", "%s"] if least > width + 1 else ["%s"]
            yield written(first[1]).join([*names, *rest]) + r"\n"


def is_sum(keys: list[str], values: list[str], rests: list[str], gap: int) -> bool:
    """Whether key and value, with their separator, have the length of what is left, in most rows: a value may have lines."""
    hits = sum(
        max(0, int(key)) + gap + max(0, int(value)) == len(rest)
        for key, value, rest in zip(keys, values, rests, strict=True)
    )
    return hits * 2 > len(rests)


def roles(columns: list[list[str]]) -> list[str] | None:
    """What the columns before key and value are, judged by all rows; None if one tells nothing."""
    names: list[str] = []
    for column in columns:
        numbers = [int(cell) for cell in column if NUMBER.fullmatch(cell)]
        if len(numbers) < len(column):
            is_headers = all(not cell or "=" in cell for cell in column)
            role = "%h" if is_headers else "%t" if len(set(column)) == 1 and NAME.fullmatch(column[0]) else ""
        elif all(10**12 <= number < 10**13 for number in numbers):
            role = "%T"
        else:
            is_rising = len(numbers) > 1 and all(a < b for a, b in pairwise(numbers))
            role = "%o" if is_rising or "%p" in names else "%p"
        if not role or role in names:
            return None
        names.append(role)
    return names


BLANKS = ("\\ ", "\\\t")


def softened(pieces: list[str]) -> list[str]:
    """The pieces of a template with blanks that may be missing before a line feed, and tabs that may be spaces."""
    soft: list[str] = []
    may_lack = False  # only blanks, and fields that may be empty, stand between here and the end of the line
    for number, piece in reversed([*enumerate(pieces)]):
        if piece in BLANKS:
            soft.append("{:blank}" if may_lack else "{:blanks_or_tab}")
        else:
            soft.append(piece)
            is_field = piece in ("{key}", "{value}", "{headers}")
            may_lack = number > 0 and (piece == "\\\n" or (is_field and may_lack))
    soft.reverse()
    last = (
        max(
            number
            for number, piece in enumerate(soft)
            if piece.startswith("{") and not piece.startswith("{:")
        )
        + 1
    )
    tail = "".join(soft[last:])
    return [*soft[:last], f"[{tail}]" if tail not in ("", "\\\n") else tail]
