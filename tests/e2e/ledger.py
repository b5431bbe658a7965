"""An input that has everything the pages of a log show: a compacted ledger on two brokers that part at the end.

0 - 39    format 1, gzip wrappers
40 - 59   format 2, cleaned: one batch in two kept four of ten records
60 - 89   transactions in the second segment: committed, aborted (with its .txnindex), then plain records
90 - 92   broker 1: a transaction that stays open; broker 2: other records, under a newer leader epoch
"""

from __future__ import annotations

import io
import struct
import tarfile
from pathlib import Path

from tests.generator import legacy
from tests.generator.segment import SOME_TIME_MS, Record, batch, marker, segment_name

PRODUCER = {"producer_id": 7, "producer_epoch": 0, "transactional": True, "leader_epoch": 3}
SECOND = 60  # base offset of the second segment
TXNINDEX = struct.Struct(">hqqqq")


def account(offset: int, **members: object) -> Record:
    """A booking; ten accounts, so that later ones supersede earlier ones."""
    value = None if offset % 17 == 5 else b'{"balance": %d}' % offset
    time_ms = SOME_TIME_MS + 1000 * offset
    return Record(b"account-%d" % (offset % 10), value, time_ms, **members)  # type: ignore[arg-type]


def first_segment() -> bytes:
    """Old wrappers, then two batches of which the cleaner took records."""
    old = [account(offset) for offset in range(40)]
    kept = [account(40 + delta, offset_delta=delta) for delta in (0, 4, 6, 9)]
    whole = [account(50 + delta, headers=[(b"source", b"web")]) for delta in range(10)]
    return b"".join(
        (
            legacy.segment(old, 0, 1, codec="gzip", records_per_wrapper=10),
            batch(kept, 40, leader_epoch=2, last_offset_delta=9),
            batch(whole, 50, leader_epoch=2),
        )
    )


def second_segment(*, parted: bool) -> bytes:
    """Transactions of one producer, plain records, and an end of which two brokers tell differently."""
    end = [account(90 + n) for n in range(3)]
    if parted:
        tail = batch(
            [Record(one.key, b'{"balance": -1}', one.timestamp_ms) for one in end], 90, leader_epoch=4
        )
    else:
        tail = batch(end, 90, base_sequence=14, **PRODUCER)  # type: ignore[arg-type]
    return b"".join(
        (
            batch([account(60 + n) for n in range(9)], 60, base_sequence=0, **PRODUCER),  # type: ignore[arg-type]
            marker("commit", 69, 7, 0, timestamp_ms=SOME_TIME_MS + 69_000, leader_epoch=3),
            batch([account(70 + n) for n in range(5)], 70, base_sequence=9, **PRODUCER),  # type: ignore[arg-type]
            marker("abort", 75, 7, 0, timestamp_ms=SOME_TIME_MS + 75_000, leader_epoch=3),
            batch([account(76 + n) for n in range(14)], 76, leader_epoch=3),
            tail,
        )
    )


def broker(number: int) -> dict[str, bytes]:
    """One broker's folder: names below it, and contents."""
    partition = {
        segment_name(0): first_segment(),
        segment_name(SECOND): second_segment(parted=number == 2),
        segment_name(SECOND).replace(".log", ".txnindex"): TXNINDEX.pack(0, 7, 70, 75, 76),
        "leader-epoch-checkpoint": b"0\n2\n2 40\n3 60\n" if number == 1 else b"no checkpoint\n",
    }
    files = {f"ledger-0/{name}": content for name, content in partition.items()}
    meta = f"version=0\nbroker.id={number}\ncluster.id=books\n".encode()
    return files | {"meta.properties": meta, "cleaner-offset-checkpoint": b"0\n1\nledger 0 50\n"}


def write(path: Path) -> Path:
    """Both brokers' folders as one archive."""
    with tarfile.open(path, "w:gz") as archive:
        for number in (1, 2):
            for name, content in broker(number).items():
                member = tarfile.TarInfo(f"broker-{number}/{name}")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    return path
