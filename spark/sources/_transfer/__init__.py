"""Segments that a copy changed, restored before any layout examines them, as far as that needs no guess.

    surroundings.py  lines of a command around the segment                line_ends.py  LF that became CR LF
    hex_dump.py      xxd, hexdump, od                                      reencoded.py  UTF-8, UTF-16
    base64_text.py   base64                                                intact.py     what proves it
    changes.py       a change and its description                              restored.py   the files to inspect

    upload -> segments with the changes of each, or None: nothing of the kind

A segment that begins with an intact batch is only examined if its end or its line feeds are unusual.
Page: docs/detectors/damaged-in-transfer.md
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from spark.sources import InputFile
from spark.sources._transfer import base64_text, hex_dump, line_ends, reencoded, surroundings
from spark.sources._transfer.changes import Cause, CopiedSegment, CopiedSegments, CopyChange
from spark.sources._transfer.hex_dump import Dumped
from spark.sources._wrapping.lines import UploadLine, encoding_of, lines_of
from spark.sources._wrapping.marks import mark_of
from spark.sources._wrapping.pieces import TEXT, Aside
from spark.sources.log_segment.batches import Bytes
from spark.sources.log_segment.recognise import base_offset
from spark.storage.address import is_address
from spark.storage.files import open_binary, read_bytes

__all__ = ["Cause", "CopiedSegment", "CopiedSegments", "CopyChange", "copied"]

PRINTED: tuple[tuple[Cause, Callable[..., bool], Callable[..., list[Dumped]]], ...] = (
    ("hex", hex_dump.may_be_dump, hex_dump.segments_in),
    ("base64", base64_text.may_be_base64, base64_text.segments_in),
)
HEAD_BYTES = 64 * 1024
UTF_16 = frozenset({"utf-16-le", "utf-16-be"})
MAX_BYTES = 1 << 30  # of a file that is looked at as a whole
MAX_TEXT_BYTES = 256 << 20
MAX_STORED_BYTES = 64 << 20  # of a file that would have to be fetched from a store


def copied(file: InputFile, is_intact_at_start: bool) -> CopiedSegments | None:
    """The segments of an upload that a copy changed; None if it contains none. `is_intact_at_start`: its first batch is
    intact. A file in a store is only examined if it does not begin with a batch."""
    if not file.size_bytes or (
        is_address(file.path) and (is_intact_at_start or file.size_bytes > MAX_STORED_BYTES)
    ):
        return None
    with open_binary(file.path, HEAD_BYTES) as stream:
        head = stream.read(HEAD_BYTES)
    encoding = None if is_intact_at_start else encoding_of(head)
    if encoding == "utf-8" and b"\0" not in head:
        return of_text(file, head, encoding)
    if encoding in UTF_16:
        return of_text(file, head, encoding) or of_encoded(file)
    return of_binary(file, head, is_intact_at_start)


def of_text(file: InputFile, head: bytes, encoding: str) -> CopiedSegments | None:
    first = lines_of(head, encoding)
    readers = [(cause, segments_in) for cause, may_be, segments_in in PRINTED if may_be(first)]
    if not readers or file.size_bytes > MAX_TEXT_BYTES:
        return None
    lines = lines_of(read_bytes(file.path), encoding)
    for cause, segments_in in readers:
        if dumps := segments_in(lines):
            return dumped(dumps, lines, cause)
    return None


def dumped(dumps: Sequence[Dumped], lines: Sequence[UploadLine], cause: Cause) -> CopiedSegments:
    """Segments that a text prints, each with the line before it, which may name the file; other lines are set aside."""
    printed = {line.number for dump in dumps for line in dump.lines}
    segments = [
        CopiedSegment(
            (CopyChange(cause, True, dump.form),),
            dump.content,
            dump.lines,
            line_before(lines, dump.lines[0].number),
        )
        for dump in dumps
    ]
    rest = [line for line in lines if line.number not in printed and line.text.strip()]
    return CopiedSegments(
        segments, [Aside(line, mark.kind if (mark := mark_of(line.text)) else TEXT) for line in rest]
    )


def line_before(lines: Sequence[UploadLine], number: int) -> str:
    texts = [line.text for line in lines[max(0, number - 4) : number - 1] if line.text.strip()]
    return texts[-1].decode(errors="replace") if texts else ""


def of_encoded(file: InputFile) -> CopiedSegments | None:
    if file.size_bytes > MAX_TEXT_BYTES:
        return None
    content, changes = reencoded.undone(read_bytes(file.path), base_offset(file.name) is not None)
    return CopiedSegments([CopiedSegment(tuple(changes), content)], []) if changes else None


def of_binary(file: InputFile, head: bytes, is_intact_at_start: bool) -> CopiedSegments | None:
    """A binary segment: text around it, changed line ends, another encoding."""
    if file.size_bytes > MAX_BYTES or not is_worth_a_look(file, head, is_intact_at_start):
        return None
    data = mapped(file)
    restored, changes = around_and_ends(data)
    if changes:
        return CopiedSegments([CopiedSegment(tuple(changes), restored)], [])
    return None if is_intact_at_start else of_encoded(file)


def is_worth_a_look(file: InputFile, head: bytes, is_intact_at_start: bool) -> bool:
    """Whether a segment with an intact start may have been changed, judged by its line feeds and last bytes."""
    if not is_intact_at_start:
        return True
    beginning = np.frombuffer(head, np.uint8)
    if line_ends.is_suspicious(beginning):
        return True
    with open_binary(file.path, 0) as stream:
        stream.seek(max(0, file.size_bytes - 2))
        return surroundings.is_all_text(np.frombuffer(stream.read(2), np.uint8))


def around_and_ends(data: Bytes) -> tuple[Bytes, list[CopyChange]]:
    """The segment without text around it and with its own line ends: a terminal changes those and prints text before them."""
    restored, changes = surroundings.undone(data)
    start = 0 if changes else surroundings.end_of_lines(data)
    ends = line_ends.undone(restored[start:])
    if ends is None:
        return restored, changes
    return ends[0], [*([surroundings.text_before(data, start)] if start else changes), ends[1]]


def mapped(file: InputFile) -> Bytes:
    """The file's bytes; a file in a store is fetched first."""
    if is_address(file.path):
        return np.frombuffer(read_bytes(file.path), np.uint8)
    with Path(file.path).open("rb") as stream:
        return np.frombuffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
