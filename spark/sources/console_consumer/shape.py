"""Which columns an output of kafka-console-consumer has, judged by its first records and the command.

    record = [time SEP] [Partition:n SEP] [Offset:n SEP] [Delivery:n SEP] [Epoch:n SEP] [headers SEP] [key SEP] value LF
    time   = (CreateTime | LogAppendTime) ":" ms | NO_TIMESTAMP
    headers= NO_HEADERS | name ":" value ("," name ":" value)*

2.5 and 2.6 print a bare partition number after the value; older versions print neither partition, offset nor headers.
SEP is a tab unless `key.separator` says otherwise. Source: Kafka `DefaultMessageFormatter` of 0.10 to 4.1.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from spark.sources._command import CONSOLE, behind, properties, words_of

NO_DATE = rb"(?!\d{4}-\d\d-\d\d[ T])"  # the tool prints milliseconds; a date is another program's
TIME = rb"(?:(?:CreateTime|LogAppendTime):" + NO_DATE + rb"\d{1,19}|NO_TIMESTAMP)"
LABELS = (
    ("has_time", TIME),
    ("has_partition", rb"Partition:\d{1,10}"),
    ("has_offset", rb"Offset:\d{1,19}"),
    ("has_delivery", rb"Delivery:(?:\d{1,10}|NOT_PRESENT)"),
    ("has_epoch", rb"Epoch:(?:-?\d{1,10}|NOT_PRESENT)"),
)
# How a record begins in a pasted text: with a label, and behind it no other word.
BEGINS = re.compile(b"(?:" + b"|".join(label for _, label in LABELS[:3]) + rb")(?![\w:]|-\d\d-\d\d[ T])")
START = re.compile(
    rb"^(?:(?:CreateTime|LogAppendTime):"
    + NO_DATE
    + rb"\d|NO_TIMESTAMP|Partition:\d|Offset:\d|Epoch:(?:-?\d|NOT_PRESENT))",
    re.M,
)
HEADERS = re.compile(rb"^[^:,]*:[^\n]*$")
SEVERAL_HEADERS = re.compile(rb"^[^:,]+:[^,\n]*(?:,[^:,]+:[^,\n]*)+$")
PARTITION = re.compile(rb"^\d{1,5}$")
MAX_SEPARATOR = 8
SAMPLES = 400
FIRST_LINES = 20  # looked at for labels
MIN_SAMPLES = 2  # before a number behind the value, or CR, is taken for the rule


@dataclass(frozen=True)
class ConsoleShape:
    """The printed columns in the order of `record`, the separator, and what follows the value."""

    has_time: bool = False
    has_partition: bool = False
    has_offset: bool = False
    has_delivery: bool = False
    has_epoch: bool = False
    has_headers: bool = False
    has_key: bool = False
    separator: str = "\t"
    partition_is_last: bool = False
    has_cr: bool = False
    null: str = "null"  # what stands for null

    @property
    def start(self) -> bytes:
        """Expression for the labels that every record begins with."""
        separator = re.escape(self.separator.encode("latin-1"))
        return b"".join(label + separator for name, label in LABELS if getattr(self, name))

    @property
    def lacks(self) -> list[str]:
        """What identifies a record and is not printed."""
        has = {"offset": self.has_offset, "partition": self.has_partition or self.partition_is_last}
        return [name for name, is_printed in has.items() if not is_printed]

    @property
    def words(self) -> str:
        names = {
            "has_time": "time",
            "has_partition": "partition",
            "has_offset": "offset",
            "has_delivery": "delivery",
            "has_epoch": "leader epoch",
            "has_headers": "headers",
            "has_key": "key",
        }
        words = [word for name, word in names.items() if getattr(self, name)]
        return ", ".join([*words, "value", *(["partition"] if self.partition_is_last else [])])


def look(head: bytes, is_whole: bool) -> ConsoleShape | None:
    """The shape of a file with this head, if its first record is labelled; `is_whole`: the head is the whole file."""
    head = head.removeprefix(b"\xef\xbb\xbf")
    lines = (head[match.start() : match.start() + 512].split(b"\n")[0] for match in START.finditer(head))
    common = Counter(_labels(line) for line in islice(lines, FIRST_LINES)).most_common(1)
    if not common:
        return None
    labels, separator = common[0][0]
    if not labels & {"has_time", "has_offset"} and separator != b"\t":
        return None
    if not separator:
        return None
    columns: dict[str, Any] = dict.fromkeys(labels, True)
    shape = ConsoleShape(**columns, separator=separator.decode("latin-1"))
    rests = _rests(head, shape, is_whole)
    return _with_columns(shape, rests) if rests else None


def _labels(line: bytes) -> tuple[frozenset[str], bytes]:
    """Labels at the beginning of a line, and the separator between them."""
    columns, separator, position = set(), b"", 0
    for name, label in LABELS:
        match = re.compile(label).match(line, position)
        if match is None:
            continue
        columns.add(name)
        position = match.end()
        separator = separator or _separator(line, position)
        position += len(separator)
    return frozenset(columns), separator


def _separator(line: bytes, position: int) -> bytes:
    """A tab, or what precedes the next label, or one mark."""
    if line[position : position + 1] == b"\t":
        return b"\t"
    following = [
        re.compile(label).search(line, position, position + MAX_SEPARATOR + 40) for _, label in LABELS[1:]
    ]
    starts = [match.start() for match in following if match]
    if starts and 0 < min(starts) - position <= MAX_SEPARATOR:
        return line[position : min(starts)]
    mark = line[position : position + 1]
    return mark if mark and not mark.isalnum() and mark not in b'.{}[]"\r' else b""


def _rests(head: bytes, shape: ConsoleShape, is_whole: bool) -> list[bytes]:
    """The text after the labels of the first records, without the last one, which the head may truncate."""
    starts = list(re.finditer(b"^" + shape.start, head, re.M))[: SAMPLES + 1]
    ends = [*(match.start() - 1 for match in starts[1:]), len(head)]
    rests = [head[match.end() : end] for match, end in zip(starts, ends[: len(starts)], strict=True)]
    is_cut = not is_whole or not head.endswith(b"\n")
    if is_cut and len(rests) > 1:
        rests.pop()
    elif rests:
        rests[-1] = rests[-1].removesuffix(b"\n")
    return rests


def _mostly(answers: Iterable[bool]) -> bool:
    """True if it holds for all samples except a few, which may be damaged."""
    flags = list(answers)
    return len(flags) - sum(flags) <= max(len(flags) // 10, min(len(flags) // 3, 1))


def _with_columns(shape: ConsoleShape, rests: Sequence[bytes]) -> ConsoleShape:
    """Headers, key, CR and a partition after the value, if all samples agree."""
    separator = shape.separator.encode("latin-1")
    has_cr = len(rests) >= MIN_SAMPLES and _mostly(rest.endswith(b"\r") for rest in rests)
    rows = [rest.removesuffix(b"\r").split(separator) for rest in rests]
    is_old = not (shape.has_partition or shape.has_offset or shape.has_epoch)
    has_headers = _mostly(
        len(row) >= 2 and (row[0] == b"NO_HEADERS" or HEADERS.match(row[0]) is not None) for row in rows
    )
    has_headers = has_headers and not _may_be_keys(rows, is_old)
    is_last = is_old and not has_headers and len(rows) >= MIN_SAMPLES
    is_last = is_last and _mostly(len(row) >= 3 and PARTITION.match(row[-1]) is not None for row in rows)
    return ConsoleShape(
        **{
            **vars(shape),
            "has_headers": has_headers,
            "has_key": _mostly(len(row) >= has_headers + 2 for row in rows),
            "has_cr": has_cr,
            "partition_is_last": is_last,
        }
    )


def _may_be_keys(rows: Sequence[Sequence[bytes]], is_old: bool) -> bool:
    """Whether first columns like `a:b` may be keys: of JSON, or where no other column can be the key.

    Versions before 2.7 print no headers, and later ones print them without keys only if asked to.
    """
    if any(row[0] == b"NO_HEADERS" for row in rows):
        return False
    if _mostly(row[0].startswith((b"{", b"[")) for row in rows):
        return True
    if is_old:
        return not any(len(row) >= 3 and SEVERAL_HEADERS.match(row[0]) for row in rows)
    return not any(len(row) >= 3 or SEVERAL_HEADERS.match(row[0]) for row in rows)


COLUMNS = {
    "print.timestamp": "has_time",
    "print.partition": "has_partition",
    "print.offset": "has_offset",
    "print.delivery": "has_delivery",
    "print.epoch": "has_epoch",
}


def as_told(shape: ConsoleShape, command: str) -> ConsoleShape:
    """The shape with the command's settings, if the command fits the output: it labels the same columns."""
    given_properties = properties(behind(CONSOLE, words_of(command)) or [])
    labelled = {name: given_properties.get(option) == "true" for option, name in COLUMNS.items()}
    if not any(labelled.values()) or any(getattr(shape, name) != is_on for name, is_on in labelled.items()):
        return shape
    return replace(
        shape,
        has_headers=given_properties.get("print.headers") == "true",
        has_key=given_properties.get("print.key") == "true",
        partition_is_last=shape.partition_is_last and given_properties.get("print.headers") != "true",
        null=given_properties.get("null.literal", "null"),
    )
