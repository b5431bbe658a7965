"""A range of a file as windows of records, in bounded memory whatever the size of the file or of a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from spark.sources._byte_window import ByteWindow
from spark.sources._json import scan
from spark.sources._json.scan import Places
from spark.sources._json.spans import Spans, columns, name_table, new_stack
from spark.storage.files import open_binary, read_bytes

WINDOW_BYTES = 16 * 1024 * 1024
MAX_RECORD_BYTES = 256 * 1024 * 1024  # a record that does not end within it is damage
ROWS_PER_WINDOW = 65_536
STRETCHES_PER_WINDOW = 32_768
OPENING = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[")  # of an array
OPENING_BYTES = 64 * 1024  # in which it stands
CONTINUES = -1  # start of a damaged range that began in the window before

Scanner = Callable[..., tuple[int, int, int, bool]]  # as `scan.scan_objects`


@dataclass(frozen=True)
class UnreadSpan:
    """Bytes of the file without a record. `why` and `at` (where it was noticed) come from the scanner."""

    start: int
    end: int
    why: int
    at: int
    is_last: bool  # no record follows in what was read


@dataclass(frozen=True)
class StreamWindow:
    """Records found: one Spans for each wanted name, their positions in the file, the damage before or between them."""

    members: list[Spans]
    starts: Places
    ends: Places
    damage: list[UnreadSpan]


@dataclass
class _WindowScan:
    names: Sequence[str]
    window: ByteWindow
    scanner: Scanner
    open_damage: tuple[int, int, int] | None = None  # start, why, at

    def __post_init__(self) -> None:
        rows = min(ROWS_PER_WINDOW, len(self.window.buffer) // 12 + 1)
        shape = rows, len(self.names)
        self.room = scan.ScanRoom(
            *name_table(self.names),
            kinds=np.empty(shape, np.uint8),
            starts=np.empty(shape, np.int64),
            ends=np.empty(shape, np.int64),
            places=np.empty((rows, 2), np.int64),
            damage=np.empty((STRETCHES_PER_WINDOW, 4), np.int64),
            stack=new_stack(),
        )

    def scan(self, is_all: bool) -> tuple[int, list[UnreadSpan], int]:
        """Scans the buffer: records found, damage closed, bytes done."""
        if self.open_damage:
            self.room.damage[0, 0] = CONTINUES
        rows, stretches, done, is_open = self.scanner(
            self.window.buffer, self.window.used, is_all, self.open_damage is not None, self.room
        )
        return rows, self._damage(stretches, is_open), done

    def stream_window(self, rows: int, damage: list[UnreadSpan]) -> StreamWindow:
        room = self.room
        members = columns(self.window.buffer, room.kinds[:rows], room.starts[:rows], room.ends[:rows])
        places = room.places[:rows] + self.window.base
        return StreamWindow(members, places[:, 0], places[:, 1], damage)

    def _damage(self, stretches: int, is_open: bool) -> list[UnreadSpan]:
        closed = []
        for start, end, why, at in self.room.damage[:stretches].tolist():
            first, why, at = self._opened(start, why, at)
            closed.append(UnreadSpan(first, self.window.base + end, why, at, False))
            self.open_damage = None
        if is_open and stretches < STRETCHES_PER_WINDOW:
            self.open_damage = self._opened(*self.room.damage[stretches, [0, 2, 3]].tolist())
        return closed

    def _opened(self, start: int, why: int, at: int) -> tuple[int, int, int]:
        if start == CONTINUES and self.open_damage is not None:
            return self.open_damage
        return self.window.base + start, why, self.window.base + at


def windows(
    path: str,
    start: int,
    end: int,
    names: Sequence[str],
    window_bytes: int = WINDOW_BYTES,
    scanner: Scanner = scan.scan_objects,
) -> Iterator[StreamWindow]:
    """Records whose first byte lies in start..end of the file. The first name is the one that every record must have.

    A window's spans point into a buffer that the next window reuses.
    """
    with open_binary(path, 0) as file:
        window = ByteWindow(file, start, end, max(16, min(window_bytes, end - start)))
        scanning = _WindowScan(names, window, scanner)
        while not window.is_all or window.used:
            window.fill()
            is_stuck = len(window.buffer) >= MAX_RECORD_BYTES
            rows, damage, done = scanning.scan(window.is_all or is_stuck)
            if rows or damage:
                yield scanning.stream_window(rows, damage)
            window.drop(done)
        if scanning.open_damage:
            first, why, at = scanning.open_damage
            yield scanning.stream_window(0, [UnreadSpan(first, window.base, why, at, True)])


def item_windows(
    path: str, start: int, end: int, names: Sequence[str], window_bytes: int = WINDOW_BYTES
) -> Iterator[StreamWindow]:
    """The items of an array that begin in start..end, each a record; the opening bracket is left out."""
    opening = OPENING.match(read_bytes(path, OPENING_BYTES))
    first = max(start, opening.end()) if opening else start
    return windows(path, first, max(first, end), names, window_bytes, scan.scan_values)
