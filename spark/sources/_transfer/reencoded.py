"""Segments that a program read as text and wrote in another encoding.

UTF-8   editors, log shippers, clients that decode and encode: bytes that are not UTF-8 become EF BF BD (U+FFFD)
        and are lost. If each byte was read as a character (Latin-1, Windows, DOS), it is known
UTF-16  `>` in Windows PowerShell, which decodes what a command prints, and writes UTF-16 with a mark
"""

from __future__ import annotations

from spark.sources._transfer import line_ends
from spark.sources._transfer.changes import Cause, CopyChange
from spark.sources._transfer.intact import array_of, begins_segment
from spark.sources._wrapping.lines import UTF_16_MARKS
from spark.sources.log_segment.batches import Bytes

LETTERS = ("latin-1", "cp1252", "cp437", "cp850")  # one letter for each byte
LOST = "\ufffd"
MIN_LOST = 4  # of a file that is not named as a segment
LOOKED_AT = 64 * 1024


def undone(content: bytes, is_named: bool) -> tuple[Bytes | None, list[CopyChange]]:
    """The segment if every byte is known, and the changes; no changes if it is not a segment."""
    encoding = "utf-16" if content[:2] in UTF_16_MARKS else "utf-8"
    head = content[:LOOKED_AT].decode(encoding, errors="ignore")
    if "\0" not in head or not is_encoded(content[:LOOKED_AT], encoding):
        return None, []
    cause: Cause = "utf_16" if encoding == "utf-16" else "utf_8"
    text = content.decode(encoding, errors="replace")
    for letters in LETTERS:
        restored, changes = restored_by(text, letters)
        if restored is not None:
            return restored, [CopyChange(cause, True, letters), *changes]
    lost = text.count(LOST)
    if lost and (is_named or (lost >= MIN_LOST and begins_like_segment(text))):
        return None, [CopyChange(cause, False, "", lost)]
    return None, []


def is_encoded(head: bytes, encoding: str) -> bool:
    """Whether the beginning has that encoding; its last character may be incomplete."""
    try:
        head.decode(encoding)
    except UnicodeDecodeError as error:
        return len(head) == LOOKED_AT and error.start >= len(head) - 4
    return True


def restored_by(text: str, letters: str) -> tuple[Bytes | None, list[CopyChange]]:
    """The segment if each character stands for a byte in this encoding; its line ends may be changed too."""
    try:
        data = array_of(text.encode(letters))
    except UnicodeEncodeError:
        return None, []
    if begins_segment(data):
        return data, []
    ends = line_ends.undone(data)
    return (ends[0], [ends[1]]) if ends else (None, [])


def begins_like_segment(text: str) -> bool:
    """Whether it begins like a batch with a small offset and its length."""
    return text[:4] == "\0\0\0\0" and text[8:10] == "\0\0"
