"""What a copy did to a segment: each change with its cause, and whether it could be taken back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.pieces import Aside
from spark.sources.log_segment.batches import Bytes

Cause = Literal["hex", "base64", "text_before", "text_after", "line_ends", "utf_8", "utf_16"]


@dataclass(frozen=True)
class CopyChange:
    """`is_undone`: the bytes before the change are known. `detail`: the text, the tool, the encoding. `changed`: how many
    bytes were added or replaced, 0 where that says nothing."""

    cause: Cause
    is_undone: bool
    detail: str = ""
    changed: int = 0


@dataclass(frozen=True)
class CopiedSegment:
    """A segment as far as the changes could be undone. `content` is None where the upload is read as it is.

    `lines`: those of a text that hold the segment.
    """

    changes: tuple[CopyChange, ...]
    content: Bytes | bytes | None = None
    lines: tuple[UploadLine, ...] = ()
    command: str = ""


@dataclass(frozen=True)
class CopiedSegments:
    """Those of one upload, and the lines of a text that are none's."""

    segments: list[CopiedSegment]
    asides: list[Aside]
