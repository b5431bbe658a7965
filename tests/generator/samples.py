"""The five sample journals: the registry of a company that takes orders, in health and in trouble, and two of its topics.

The broken one lost contents to the empty update and compaction, made one of them again and put it at risk again;
besides, one byte of it has rotted on disk and the copy stopped before the end of its last file. The one at risk is as
such a journal is before compaction. In one topic a transaction hangs, in the other a bit of a batch has rotted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.generator.apicurio import healthy, incident
from tests.generator.dumps import partition_folder
from tests.generator.segment import Record, batch, marker, segment, segment_name

if TYPE_CHECKING:
    from pathlib import Path

START_MS = 1_772_438_400_000  # 2026-03-02T08:00:00Z
RECORDS_PER_SEGMENT = 120
ROTTEN_TEXT, ROTTED_TEXT = b"minor units", b"minor unit\xf3"  # one bit
MISSING_BYTES = 37


MINUTE_MS = 60_000
HANGING_AT = 40
ROTTEN_BATCH = 6


def write(folder: Path) -> dict[str, list[Path]]:
    """Write all into `folder`; gives the files of each, to be uploaded with their paths below `folder/<name>`."""
    return {
        "healthy": _healthy(folder / "healthy"),
        "broken": _broken(folder / "broken"),
        "at-risk": _at_risk(folder / "at-risk"),
        "hanging": _segment_of("payments-0", _with_a_hanging_transaction(), folder / "hanging"),
        "corrupt": _segment_of("orders-0", _with_a_rotten_batch(), folder / "corrupt"),
    }


def _healthy(parent: Path) -> list[Path]:
    journal = healthy(20, artifact_count=25, restarts=4, start_ms=START_MS)
    return sorted(partition_folder(journal, parent, records_per_segment=RECORDS_PER_SEGMENT).iterdir())


def _broken(parent: Path) -> list[Path]:
    journal = incident(
        9,
        "lost",
        artifact_count=22,
        affected_count=3,
        affected_versions=2,
        life_goes_on=True,
        made_again=True,
        start_ms=START_MS,
    )
    folder = partition_folder(journal, parent, records_per_segment=RECORDS_PER_SEGMENT)
    segments = sorted(folder.glob("*.log"))
    _rot(segments)
    _cut_short(segments[-1])
    return sorted(folder.iterdir())


def _at_risk(parent: Path) -> list[Path]:
    journal = incident(12, "at_risk", artifact_count=16, affected_count=2, start_ms=START_MS)
    return sorted(partition_folder(journal, parent, records_per_segment=RECORDS_PER_SEGMENT).iterdir())


def _segment_of(place: str, content: bytes, parent: Path) -> list[Path]:
    folder = parent / place
    folder.mkdir(parents=True)
    file = folder / segment_name(0)
    file.write_bytes(content)
    return [file]


def _booking(offset: int, minute: int) -> Record:
    value = f'{{"order": {1000 + offset}, "state": "paid", "amount": {offset % 7 * 10 + 5}}}'
    return Record(f"order-{1000 + offset}".encode(), value.encode(), START_MS + minute * MINUTE_MS)


def _with_a_hanging_transaction() -> bytes:
    """Producer 7 writes two records and never ends their transaction; producer 8 goes on for an hour."""
    ended = [
        part
        for first in (*range(0, HANGING_AT, 5), *range(HANGING_AT + 5, 100, 5))
        for part in _transaction(8, first, first // 5 * 3)
    ]
    hanging = [_booking(HANGING_AT + number, HANGING_AT // 5 * 3) for number in range(5)]
    open_batch = batch(
        hanging, HANGING_AT, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True
    )
    before = HANGING_AT // 5 * 2
    return b"".join((*ended[:before], open_batch, *ended[before:]))


def _transaction(producer_id: int, first: int, minute: int) -> tuple[bytes, bytes]:
    """Four records from offset `first`, and the marker that commits them."""
    # the producer of the hanging transaction has written none of these, so their sequence has no gap
    sequence = (first - 5 if first > HANGING_AT else first) // 5 * 4
    records = [_booking(first + number, minute) for number in range(4)]
    written = batch(
        records, first, producer_id=producer_id, producer_epoch=0, base_sequence=sequence, transactional=True
    )
    return written, marker(
        "commit", first + 4, producer_id, 0, timestamp_ms=START_MS + minute * MINUTE_MS + 400
    )


def _with_a_rotten_batch() -> bytes:
    """Twelve batches of ten records; one bit of a value in the seventh has flipped after the broker accepted it."""
    content = bytearray(
        segment([_booking(offset, offset // 10) for offset in range(120)], records_per_batch=10)
    )
    rotten = f"order-{1000 + ROTTEN_BATCH * 10 + 4}".encode()
    content[content.index(rotten) + len(rotten) + 20] ^= 0x20
    return bytes(content)


def _rot(segments: list[Path]) -> None:
    """Flip one bit in the text of the first comment that has the words."""
    for path in segments:
        content = path.read_bytes()
        if ROTTEN_TEXT in content:
            path.write_bytes(content.replace(ROTTEN_TEXT, ROTTED_TEXT, 1))
            return


def _cut_short(segment: Path) -> None:
    """Lose the end of the last batch, as a copy does that runs out of disk."""
    segment.write_bytes(segment.read_bytes()[:-MISSING_BYTES])
