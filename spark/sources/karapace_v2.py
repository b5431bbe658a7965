"""Karapace schema backup, version 2: a header line, then one record a line, key and value as hexadecimal digits with a tab between them.

    file = "/V2" LF (side TAB side LF)*      side = "null" | hex digits, upper case, two a byte; none: empty

Key and value bytes are exact, but a value whose bytes are the text `null` is a null too, as Karapace restores it. Offsets are the
numbers of the rows. Source: Karapace `backup/backends/v2.py`; its anonymised export has the same form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark.sources import EXPORT_LACKS, Chunk, InputFile, Recognition, Source, Split
from spark.sources._karapace import BackupRows
from spark.sources._lines.records import record
from spark.sources._rows import DamagedRange, Reason
from spark.storage.files import open_binary

MARK = b"/V2\n"
LINE = re.compile(rb"(null|(?:[0-9A-Fa-f]{2})*)\t(null|(?:[0-9A-Fa-f]{2})*)")
MAX_LINE_BYTES = 256 * 1024 * 1024
NOTE = "Offsets are the numbers of the rows. Keys and values are the bytes that were on the broker."
NOT_A_LINE = "not two runs of hexadecimal digits with a tab between them"
CUT = "the line is truncated at byte {at}"


def recognise(file: InputFile, head: bytes) -> Recognition:
    if not head.startswith(MARK):
        return Recognition(False, "does not begin with the line `/V2`")
    return Recognition(True, "V2, one record a line in hexadecimal; offsets are row numbers", 95)


def read(split: Split) -> Iterator[Chunk]:
    rows, offset = BackupRows(split), 0
    note: str | None = NOTE
    with open_binary(split.path) as file:
        position = len(file.readline(len(MARK)))
        while position < split.end and (line := file.readline(MAX_LINE_BYTES)):
            offset = _take(rows, line, position, offset, position + len(line) >= split.end)
            position += len(line)
            if rows.is_full:
                yield rows.chunk(note)
                rows, note = BackupRows(split), None
    yield rows.chunk(note)


def _take(rows: BackupRows, line: bytes, position: int, offset: int, is_last: bool) -> int:
    """Adds the line's record; returns the next row number."""
    text = line.rstrip(b"\r\n")
    match = LINE.fullmatch(text)
    if match:
        value = _side(match[2])
        value = None if value == b"null" else value
        rows.add(record(position, position + len(line), _side(match[1]), value, offset=offset))
        return offset + 1
    if text:
        is_cut = is_last and not line.endswith(b"\n")
        reason: Reason = "truncated" if is_cut else "bad_line"
        detail = CUT.format(at=position + len(line)) if is_cut else NOT_A_LINE
        rows.damage.append(DamagedRange(position, len(line), reason, detail, None, None, not is_last))
        return offset + 1
    return offset


def _side(text: bytes) -> bytes | None:
    return None if text == b"null" else bytes.fromhex(text.decode())


source = Source(
    id="karapace-v2",
    title="Karapace schema backup, version 2",
    kind="export",
    lacks=EXPORT_LACKS | {"topic", "offset", "timestamps", "headers"},
    recognise=recognise,
    read=read,
)
