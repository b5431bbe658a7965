"""Lines of text before or after a segment: from kubectl or docker exec, ssh, sudo, curl -i.

They come into the copy when the command's standard error, or a banner, is written to the same file.
"""

from __future__ import annotations

from spark.sources._transfer.changes import CopyChange
from spark.sources._transfer.intact import end_of_batches, first_whole_batch
from spark.sources.log_segment.batches import Bytes

LF = 10
MAX_BEFORE = 64 * 1024
MAX_BEHIND = 4 * 1024
MAX_QUOTED = 200  # letters of a text that a report quotes


def undone(data: Bytes) -> tuple[Bytes, list[CopyChange]]:
    """The segment without text before and after it."""
    start = 0
    if data[0]:  # the first byte of an offset is zero
        start = max(first_whole_batch(data, 0, MAX_BEFORE), 0)
        start = start if is_lines(data[:start]) else 0
    end = end_of_text_behind(data, start)
    changes = [text_before(data, start)] if start else []
    if end < data.size:
        changes.append(CopyChange("text_after", True, quoted(data[end:]), data.size - end))
    return data[start:end], changes


def text_before(data: Bytes, end: int) -> CopyChange:
    return CopyChange("text_before", True, quoted(data[:end]), end)


def end_of_lines(data: Bytes) -> int:
    """The end of the text lines at the file's start: after the last line feed before a zero byte."""
    text, zero, _ = data[:MAX_BEFORE].tobytes().partition(b"\0")
    end = text.rfind(b"\n") + 1 if zero else 0
    return end if is_all_text(data[:end]) else 0


def end_of_text_behind(data: Bytes, start: int) -> int:
    """Where text begins after the last batch; the file's size if there is none."""
    if data.size - start < 2 or not is_all_text(data[-2:]):
        return int(data.size)
    end = end_of_batches(data, start)
    rest = data[end:]
    return end if end > start and 0 < rest.size <= MAX_BEHIND and is_all_text(rest) else int(data.size)


def is_lines(content: Bytes) -> bool:
    """Whether these are complete lines of text: a segment without its first bytes may begin within a text value."""
    return content.size > 0 and int(content[-1]) == LF and is_all_text(content)


def is_all_text(content: Bytes) -> bool:
    """Whether all of it is UTF-8 text."""
    text = content.tobytes()
    try:
        letters = text.decode()
    except UnicodeDecodeError:
        return False
    return all(letter >= " " or ord(letter) in {9, 10, 13, 27} for letter in letters)


def quoted(content: Bytes) -> str:
    """The text's lines as a report quotes them."""
    text = " ".join(content.tobytes().decode(errors="replace").split())
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}…"
