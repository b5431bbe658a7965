"""Where reading of a file stopped that no layout recognised: its first lines, or rows of 16 bytes, with the place marked.

    file       name
    is_text    lines of text, else rows of bytes
    rows       [number of the line or offset of the row, its bytes as hex (empty for text), its text]
    stopped    the number or offset among them at which the nearest layout stopped

Reading stops at the beginning unless the reason names a byte or a line.
"""

from __future__ import annotations

import re
from typing import Any

ROWS, ROWS_BEFORE = 8, 3
BYTES_PER_ROW = 16
MAX_CHARACTERS = 200
BYTE, LINE = re.compile(r"\bbyte (\d+)"), re.compile(r"\bline (\d+)")


def place_in(file: str, head: bytes, why: str) -> dict[str, Any]:
    """`head`: the first bytes of the file; `why`: of the nearest layout."""
    text = text_of(head)
    rows: list[tuple[int, str, str]]
    if text is None:
        stopped = _number(BYTE, why, 0) // BYTES_PER_ROW * BYTES_PER_ROW
        offsets = range(0, len(head), BYTES_PER_ROW)
        rows = [(at, *_hex_row(head[at : at + BYTES_PER_ROW])) for at in offsets]
    else:
        stopped = _number(LINE, why, 1)
        rows = [(at, "", line[:MAX_CHARACTERS]) for at, line in enumerate(text.splitlines(), 1)]
    numbers = [row[0] for row in rows]
    stopped = stopped if stopped in numbers else numbers[0]
    first = max(0, numbers.index(stopped) - ROWS_BEFORE)
    return {
        "file": file,
        "is_text": text is not None,
        "rows": rows[first : first + ROWS],
        "stopped": stopped,
    }


def text_of(head: bytes) -> str | None:
    """None for bytes that are not UTF-8 text; the head may end within a character."""
    if b"\0" in head:
        return None
    try:
        return head.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        is_cut = len(head) - problem.start < 4 and problem.reason == "unexpected end of data"
        return head[: problem.start].decode("utf-8-sig") if is_cut else None


def _number(pattern: re.Pattern[str], why: str, otherwise: int) -> int:
    match = pattern.search(why)
    return int(match[1]) if match else otherwise


def _hex_row(content: bytes) -> tuple[str, str]:
    return content.hex(" "), "".join(chr(byte) if 32 <= byte < 127 else "." for byte in content)
