"""What a copy changed in a segment: each change with its cause, and whether it could be undone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.pieces import Aside
from spark.sources.log_segment.batches import Bytes

Cause = Literal["hex", "base64", "text_before", "text_after", "line_ends", "utf_8", "utf_16"]


@dataclass(frozen=True)
class CopyChange:
    """`is_undone`: the original bytes are known. `detail`: the text, the tool, the encoding. `changed`: the number of bytes added
    or replaced, 0 if not applicable."""

    cause: Cause
    is_undone: bool
    detail: str = ""
    changed: int = 0


@dataclass(frozen=True)
class CopiedSegment:
    """A segment with the changes undone as far as possible. `content`: None if the upload is read as it is.

    `lines`: the lines of a text that contain the segment.
    """

    changes: tuple[CopyChange, ...]
    content: Bytes | bytes | None = None
    lines: tuple[UploadLine, ...] = ()
    command: str = ""


@dataclass(frozen=True)
class CopiedSegments:
    """The segments of one upload, and the text lines that belong to none."""

    segments: list[CopiedSegment]
    asides: list[Aside]
