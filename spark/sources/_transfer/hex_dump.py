r"""Hex dumps of a segment: xxd, `hexdump -C`, `hexdump`, od, in a text with other lines around them.

    xxd          00000000: 0000 0000 0000 003e  .......>      groups in file order; -e: little-endian
    xxd -p       0000000000000000003e...                       digits only
    hexdump -C   00000000  00 00 00 00  |....|                 `*`: the line before repeats to the next address
    hexdump, od  0000000 000000 037000                         words of the machine (little-endian), hex or octal
    od -t x1z    0000000 00 00 00 3e  >...<                    od: addresses are octal, or as -A says; -c: letters

An address gives the number of bytes before it, and the segment's first batch shows whether the digits were read correctly:
otherwise it is not the dump of a segment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from spark.sources._transfer.intact import array_of, begins_segment
from spark.sources._wrapping.lines import UploadLine

LINE = re.compile(rb"^[ \t>|]{0,40}?([0-9a-fA-F]{4,16})(:[ ])?((?:[ \t].*)?|(?<=: ).*)$")
PLAIN = re.compile(rb"^[ \t]{0,40}((?:[0-9a-fA-F]{2}){1,128})[ \t]*$")
SQUEEZED = re.compile(rb"^[ \t>|]{0,40}\*$")
TRAILING = re.compile(rb"[ \t]{2}(?:\|.*\|?|>.*<?)$")  # letters beside the digits
MIN_LINES = 2
MIN_PLAIN = 16  # digits of the first line that has no address
MAX_BYTES = 256 << 20  # of a segment in whose dump a `*` stands for repeated lines
ESCAPES = {"\\0": 0, "\\a": 7, "\\b": 8, "\\t": 9, "\\n": 10, "\\v": 11, "\\f": 12, "\\r": 13}
Words = Callable[[bytes], bytes]


@dataclass(frozen=True)
class DumpedLine:
    """A line of a dump: its address (`*` for repeated lines; empty if it has digits only) and the rest."""

    address: bytes
    body: bytes
    is_xxd: bool = False


@dataclass
class Run:
    lines: list[UploadLine] = field(default_factory=list)
    dumped: list[DumpedLine] = field(default_factory=list)


@dataclass(frozen=True)
class Dumped:
    """A segment that a text prints: its bytes, its lines, the tool judged by the form of the lines."""

    content: bytes
    lines: tuple[UploadLine, ...]
    form: str


def may_be_dump(lines: Iterable[UploadLine]) -> bool:
    return any(len(run.lines) >= MIN_LINES for run in runs_of(lines))


def segments_in(lines: Sequence[UploadLine]) -> list[Dumped]:
    return [dumped for run in runs_of(lines) if (dumped := segment_of(run))]


def runs_of(lines: Iterable[UploadLine]) -> Iterator[Run]:
    """Consecutive lines of dumps; address 0 begins another dump."""
    run = Run()
    for line in lines:
        dumped = dumped_line(line, run)
        is_next = dumped is not None and not is_start(dumped)
        if run.lines and not is_next:
            yield run
            run = Run()
        if dumped is not None:
            run.lines.append(line)
            run.dumped.append(dumped)
    if run.lines:
        yield run


def is_start(dumped: DumpedLine) -> bool:
    return dumped.address != b"" and not dumped.address.strip(b"0")


def dumped_line(line: UploadLine, run: Run) -> DumpedLine | None:
    """A line that begins a dump or continues this one, or None."""
    if SQUEEZED.match(line.text):
        return DumpedLine(b"*", b"") if run.dumped else None
    is_plain = bool(run.dumped) and not run.dumped[0].address
    if (plain := PLAIN.match(line.text)) and (
        is_plain or (not run.dumped and len(plain[1]) >= 2 * MIN_PLAIN)
    ):
        return DumpedLine(b"", plain[1])
    match = None if is_plain else LINE.match(line.text)
    return DumpedLine(match[1], match[3], match[2] is not None) if match else None


def segment_of(run: Run) -> Dumped | None:
    """The segment that a run of lines prints, in the only reading that yields batches."""
    dumped = digits_of_xxd(run.dumped) if run.dumped[0].is_xxd else run.dumped
    for form, base, words in FORMS:
        content = read_as(dumped, base, words)
        if content and begins_segment(array_of(content)):
            return Dumped(content, tuple(run.lines), form)
    return None


def digits_of_xxd(dumped: Sequence[DumpedLine]) -> list[DumpedLine]:
    """The lines without their text column, which begins two columns after the digits of the first line."""
    width = len(dumped[0].body.partition(b"  ")[0])
    return [replace(line, body=line.body[:width]) for line in dumped]


def read_as(dumped: Sequence[DumpedLine], base: int, words: Words) -> bytes | None:
    """All bytes if addresses to this base match the number of bytes between them; otherwise None."""
    content = bytearray()
    before, is_squeezed = b"", False
    try:
        start = int(dumped[0].address, base) if dumped[0].address else 0
        for line in dumped:
            if line.address == b"*":
                is_squeezed = bool(before)
                continue
            missing = (int(line.address, base) - start if line.address else len(content)) - len(content)
            if is_squeezed and 0 < missing <= MAX_BYTES - len(content) and missing % len(before) == 0:
                content += before * (missing // len(before))
                missing = 0
            if -len(before) < missing < 0 and not line.body.strip():  # the last word was filled up
                del content[missing:]
                missing = 0
            if missing:
                return None
            before, is_squeezed = words(line.body), False
            content += before
    except (ValueError, KeyError):
        return None
    return bytes(content)


def big_endian(body: bytes) -> bytes:
    """Hex digits in file order."""
    return bytes.fromhex(TRAILING.sub(b"", body).decode("ascii"))


def little_endian(body: bytes) -> bytes:
    """Hex words of a little-endian machine."""
    words = TRAILING.sub(b"", body).decode("ascii").split()
    return b"".join(bytes.fromhex(word)[::-1] for word in words)


def octal(body: bytes, size: int) -> bytes:
    """Octal numbers of 1 byte, or of 2 bytes in little-endian order."""
    words = TRAILING.sub(b"", body).split()
    return b"".join(int(word, 8).to_bytes(size, "little") for word in words if octal_size(word, size))


def octal_size(word: bytes, size: int) -> bool:
    """Whether an octal number has the width for so many bytes. Raises ValueError if it has neither width."""
    if len(word) != (3 if size == 1 else 6) or int(word, 8) >= 1 << (8 * size):
        raise ValueError
    return True


def letters(body: bytes) -> bytes:
    """`od -c`: a blank and three columns for each byte."""
    text = body.decode("ascii")
    cells = [text[at + 1 : at + 4].strip() or " " for at in range(0, len(text), 4)]
    return bytes(
        ESCAPES[cell] if cell in ESCAPES else int(cell, 8) if len(cell) == 3 else one_letter(cell)
        for cell in cells
    )


def one_letter(cell: str) -> int:
    """A character that stands for itself. Raises ValueError for more than one."""
    if len(cell) != 1:
        raise ValueError
    return ord(cell)


FORMS: tuple[tuple[str, int, Words], ...] = (
    ("xxd or hexdump -C", 16, big_endian),
    ("od", 8, big_endian),
    ("od", 10, big_endian),
    ("hexdump", 16, little_endian),
    ("od", 8, little_endian),
    ("od", 10, little_endian),
    *(("od", base, partial(octal, size=size)) for base in (8, 16, 10) for size in (1, 2)),
    *(("od -c", base, letters) for base in (8, 16, 10)),
)
