"""Base64 of a segment (`base64`, `openssl base64`, `certutil -encode`), in a text with other lines around it.

lines of letters, digits, + and /, all as long as the first but the last; = at the end
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Sequence

from spark.sources._transfer.hex_dump import Dumped
from spark.sources._transfer.intact import array_of, begins_segment
from spark.sources._wrapping.lines import UploadLine

LINE = re.compile(
    rb"^[ \t]*([A-Za-z0-9+/]{4,}={0,2})(?:[ \t]*|(?<==).{0,100})$"
)  # a prompt may follow the end
FORM = "base64"
BEGINNING = b"AAAAA"  # the first bytes of an offset below 2^34


def may_be_base64(lines: Iterable[UploadLine]) -> bool:
    """Whether a line begins like a segment in base64."""
    return any((match := LINE.match(line.text)) and match[1].startswith(BEGINNING) for line in lines)


def segments_in(lines: Sequence[UploadLine]) -> list[Dumped]:
    return [dumped for run in runs_of(lines) if (dumped := segment_of(run))]


def runs_of(lines: Iterable[UploadLine]) -> Iterator[list[UploadLine]]:
    """Lines of equal width, and a shorter one after them."""
    run: list[UploadLine] = []
    width = 0
    for line in lines:
        match = LINE.match(line.text)
        size = len(match[1]) if match else 0
        if run and size <= width and size:
            run.append(line)
            if size == width:
                continue
            size = 0
        elif size:
            if run:
                yield run
            run, width = [line], size
            continue
        if run:
            yield run
        run, width = [], 0
    if run:
        yield run


def segment_of(run: list[UploadLine]) -> Dumped | None:
    """The segment that a run of lines encodes; an incomplete last group is left out."""
    letters = b"".join(match[1] for line in run if (match := LINE.match(line.text)))
    try:
        content = base64.b64decode(letters[: len(letters) // 4 * 4], validate=True)
    except binascii.Error:
        return None
    return Dumped(content, tuple(run), FORM) if begins_segment(array_of(content)) else None
