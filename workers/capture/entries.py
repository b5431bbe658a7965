"""The entries of an answer to a Fetch: which of them are whole, which were asked for, where the next ask begins.

    Entry => offset:int64 size:int32 content[size]                      magic at byte 16 in every format
    v2    => base_offset ... leader_epoch:int32 at 12, last_offset_delta:int32 at 23
    v0/v1 => offset of the message, of the LAST inner one when it is compressed; attributes:int8 at 17

A broker cuts the answer at its largest size, in the middle of an entry. Source: facts of `FileRecords`, KIP-74.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

FRAME_BYTES, MAGIC_AT, ATTRIBUTES_AT, LEADER_EPOCH_AT, LAST_OFFSET_DELTA_AT = 12, 16, 17, 12, 23
MIN_SIZE = 14
CODEC_BITS = 0b111
FRAME, INT32 = struct.Struct(">qi"), struct.Struct(">i")


class DamagedEntry(Exception):
    """The bytes are no batch; the text says why."""


@dataclass
class EntryRange:
    """Bytes `begin` to `end` of the answer are entries to keep; `next_offset` is where the next ask begins.

    `cut` is (offset, size in bytes) of the entry that was cut at the end, null when less than its frame came;
    `needed_bytes` is how much the answer must have to hold it.
    """

    begin: int = 0
    end: int = 0
    batches: int = 0
    base_offset: int | None = None
    next_offset: int = 0
    leader_epochs: set[int] = field(default_factory=set)
    cut: tuple[int, int] | None = None
    needed_bytes: int = 0


def select_entries(records: bytes, position: int, to_offset: int, max_bytes: int | None = None) -> EntryRange:
    """What to keep of an answer to an ask from `position` on; up to `to_offset` (exclusive), or until
    `max_bytes` are reached or passed.

    An entry that holds `position` or reaches over `to_offset` is kept whole. Entries wholly before `position` at the
    head of the answer are left out; behind the first kept one everything is kept in the order of the broker's file.
    Raises DamagedEntry when the first entry is damaged; what comes before a damaged one is kept.
    """
    selected = EntryRange(next_offset=position)
    at, length = 0, len(records)
    while length - at >= FRAME_BYTES and selected.next_offset < to_offset:
        offset, size = FRAME.unpack_from(records, at)
        if size < MIN_SIZE:
            _give_up(selected, offset, size)
            break
        end = at + FRAME_BYTES + size
        if end > length:
            selected.cut, selected.needed_bytes = (offset, FRAME_BYTES + size), end
            break
        is_new = records[at + MAGIC_AT] >= 2
        if is_new and end - at < LAST_OFFSET_DELTA_AT + INT32.size:
            _give_up(selected, offset, size)
            break
        last_offset = offset + (INT32.unpack_from(records, at + LAST_OFFSET_DELTA_AT)[0] if is_new else 0)
        if offset >= to_offset and (is_new or not records[at + ATTRIBUTES_AT] & CODEC_BITS):
            selected.next_offset = to_offset
            break
        if max_bytes is not None and selected.end - selected.begin >= max_bytes:
            break
        if selected.batches or last_offset >= position:
            _add(selected, at, end, offset if is_new else None)
            if is_new:
                selected.leader_epochs.add(INT32.unpack_from(records, at + LEADER_EPOCH_AT)[0])
            selected.next_offset = max(selected.next_offset, last_offset + 1)
        at = end
    return selected


def _add(selected: EntryRange, at: int, end: int, base_offset: int | None) -> None:
    if not selected.batches:
        selected.begin, selected.base_offset = at, base_offset
    selected.end = end
    selected.batches += 1


def _give_up(selected: EntryRange, offset: int, size: int) -> None:
    if not selected.batches:
        raise DamagedEntry(f"the entry of offset {offset} says that it has {size} bytes")
