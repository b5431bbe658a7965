"""Separates tools' outputs in a pasted text from the text around them, before any layout examines it.

    suspicion.py  is there anything to do?        lines.py    bytes into lines with their places
    tools.py      how each tool's lines begin     marks.py    fences, prompts, commands, lines of other programs
    prefixes.py   prefixes of lines               soften.py   changes by pages and terminals
    parts.py    lines into prints and the rest (pieces.py)     manifests.py  commands in YAML
    wraps.py      lines that were broken          columns.py  tabs that became spaces
    repeats.py    the same record twice           written.py  prints as files, places mapped back
    large.py      a large text wrapped at its ends only

    pasted text -> [output, output, ...] + [line outside them, ...]

A file without other text is passed on as it is: same path, same bytes. Otherwise each output becomes a file of its own for
the layouts, and its lines keep their positions in the upload. Page: docs/pasted-text.md
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from spark.sources import InputFile
from spark.sources._wrapping.columns import find_columns
from spark.sources._wrapping.large import of_large
from spark.sources._wrapping.lines import UploadLine, encoding_of, lines_of
from spark.sources._wrapping.parts import read_parts
from spark.sources._wrapping.pieces import Aside, ToolOutput, without_other_json
from spark.sources._wrapping.prefixes import without_marks
from spark.sources._wrapping.repeats import without_repeats
from spark.sources._wrapping.suspicion import HEAD_BYTES, MAX_BYTES, is_suspicious
from spark.sources._wrapping.wraps import join_broken
from spark.sources._wrapping.written import written
from spark.storage.address import is_address
from spark.storage.files import open_binary

Rows = Sequence[Aside]


@dataclass(frozen=True)
class Print:
    """One output of an upload as a file of its own; `undone`: the changes reversed in its lines."""

    file: InputFile
    lines: tuple[UploadLine, ...] = ()
    undone: frozenset[str] = frozenset()
    tool: str = ""


@dataclass(frozen=True)
class Unwrapped:
    """The outputs in an upload, in order, and the lines that belong to none."""

    prints: list[Print]
    asides: list[Aside] = field(default_factory=list)
    is_whole: bool = True  # the file as it was uploaded


def unwrap(file: InputFile, number: int, folder: Path | None) -> Unwrapped:
    """Separates tools' outputs from the text around them. The file stays unchanged without a folder to write to, or if there
    is no such text."""
    untouched = Unwrapped([Print(file)])
    if folder is None or not file.size_bytes:
        return untouched
    with contents(file) as content:
        if not content or not is_suspicious(content):
            return untouched
        text = content[:]
    encoding = encoding_of(text[:4096]) or "utf-8"
    large = of_large(text) if encoding == "utf-8" else None
    outputs, asides = large or sorted_out(lines_of(text, encoding))
    if not outputs or is_untouched(text, outputs, asides):
        return untouched
    prints = [
        Print(
            written(file, output, folder, f"{number}-{count}", len(outputs) > 1),
            tuple(output.lines),
            frozenset(output.undone),
            output.tool,
        )
        for count, output in enumerate(outputs)
    ]
    return Unwrapped(prints, asides, False)


@contextmanager
def contents(file: InputFile) -> Iterator[bytes | mmap.mmap]:
    """A file's bytes. From a store, texts that may be read line by line are fetched; of other files only the head."""
    if is_address(file.path):
        with open_binary(file.path, HEAD_BYTES) as stored:
            head = stored.read(HEAD_BYTES)
            is_text = encoding_of(head) is not None and file.size_bytes <= MAX_BYTES
            yield head + stored.read() if is_text else b""
        return
    with (
        Path(file.path).open("rb") as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content,
    ):
        yield content


def sorted_out(lines: Sequence[UploadLine]) -> tuple[list[ToolOutput], list[Aside]]:
    """Cleaned outputs; the lines that belong to none, repeated records among them."""
    bare = without_marks(lines)
    outputs, asides = read_parts(bare)
    marked = {line.number for line, own in zip(bare, lines, strict=True) if line is not own}
    for output in outputs:
        output.undone |= {"prefix"} if any(line.number in marked for line in output.lines) else set()
        asides += without_other_json(output)
        join_broken(output)
        find_columns(output)
    outputs, repeats = without_repeats(outputs)
    set_aside = sorted([*asides, *repeats], key=lambda aside: aside.line.start)
    return [output for output in outputs if output.lines], set_aside


def is_untouched(text: bytes, outputs: Sequence[ToolOutput], asides: Sequence[Aside]) -> bool:
    if asides or len(outputs) != 1 or outputs[0].undone or encoding_of(text[:4096]) != "utf-8":
        return False
    return all(
        is_as_uploaded(line, text[line.start : line.end], begins)
        for line, begins in zip(outputs[0].lines, outputs[0].begins, strict=True)
    )


def is_as_uploaded(line: UploadLine, raw: bytes, begins: bool) -> bool:
    """Whether a line's text equals the upload's; layouts accept CR LF at the end of records, not within values."""
    return line.text == raw.removesuffix(b"\n") or (begins and line.text == raw.rstrip(b"\r\n"))
