"""A random history as a log on disk, inspected by the whole pipeline; what the report then says of it.

A fault is one record too many, too few or changed; the offsets of the records it shows in go with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from spark.terms.findings import WORSE_THAN_LOW
from tests.generator.dumps import kcat_base64
from tests.generator.journal import Journal, Stored
from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.log_folders import write
from tests.spark.whole_pipeline import report_of

Parts = tuple[bytes | None, bytes | None]
Log = list[tuple[int, Record]]  # offset and record, in their order
Report = dict[str, Any]


@dataclass(frozen=True)
class Broken:
    """A log with one fault in it."""

    log: Log
    offsets: frozenset[int]  # of the records that the finding must name one of
    detector: str


def log_of(parts: Sequence[Parts], random: Random, headers: Sequence[tuple[bytes, bytes]] = ()) -> Log:
    """Records one after the other, seconds to minutes apart."""
    now_ms, log = SOME_TIME_MS, Log()
    for offset, (key, value) in enumerate(parts):
        now_ms += random.randint(1_500, 90_000)
        log.append((offset, Record(key, value, now_ms, headers)))
    return log


def renumbered(records: Iterable[Record]) -> Log:
    """Records at the offsets 0, 1, ..."""
    return list(enumerate(records))


def cleaned(log: Log, cut: int, keeps_tombstones: bool = False) -> Log:
    """What a run of the cleaner leaves that comes as far as this offset."""
    newest = {record.key: offset for offset, record in log if offset < cut}
    return [
        (offset, record)
        for offset, record in log
        if offset >= cut or (newest[record.key] == offset and (keeps_tombstones or record.value is not None))
    ]


def cleanings(log: Log, random: Random) -> list[Log]:
    """What some runs of the cleaner leave: one of a part, one of the whole log."""
    return [
        cleaned(log, random.randrange(1, len(log)), random.random() < 0.5),
        cleaned(log, log[-1][0] + 1, random.random() < 0.5),
    ]


def file_of(log: Log, base_offset: int = 0) -> bytes:
    """A segment, one record in each batch."""
    records = [
        Record(record.key, record.value, record.timestamp_ms, record.headers, offset - base_offset)
        for offset, record in log
    ]
    return segment(records, base_offset, records_per_batch=1)


def report(folder: Path, topic: str, log: Log, base_offset: int = 0, **others: Log) -> Report:
    """What the pipeline says of partition 0; `others`: further partitions, as p1=log."""
    files = {f"{topic}-0/{base_offset:020d}.log": file_of(log, base_offset)}
    for name, other in others.items():
        files[f"{topic}-{name[1:]}/{0:020d}.log"] = file_of(other)
    number = len(list(folder.iterdir()))
    return report_of(write(folder / f"{number}-input", dict(files)), folder / f"{number}-results")


def report_on_dump(folder: Path, topic: str, log: Log) -> Report:
    """The same of a dump by kcat: no segment's name says where the log begins."""
    dump = kcat_base64(Journal(topic, 0, [Stored(offset, record) for offset, record in log]))
    number = len(list(folder.iterdir()))
    files: dict[str | int, bytes] = {f"dump/{topic}.ndjson": dump}
    return report_of(write(folder / f"{number}-input", files), folder / f"{number}-results")


def alarms(said: Report) -> list[Report]:
    """Findings of medium or worse that no other finding explains."""
    return [
        finding
        for finding in said["findings"]
        if finding["severity"] in WORSE_THAN_LOW and finding["consequence_of"] is None
    ]


def titles(found: Iterable[Report]) -> list[str]:
    """What stands on the page, for messages of failed tests."""
    return [f"{one['detector']} ({one['severity']}): {one['title']}" for one in found]


def assert_healthy(said: Report, *allowed: str) -> None:
    """Nothing is said that asks for a look; `allowed` are detectors that the catalogue lets speak here."""
    assert titles(one for one in alarms(said) if one["detector"] not in allowed) == []
    if not alarms(said):
        assert said["verdict"]["level"] == "healthy", said["verdict"]
    assert said["coverage"]["unreadable_bytes"] == 0


def assert_only(said: Report, broken: Broken) -> None:
    """The one cause is named, and where it lies; everything else follows from it."""
    found = alarms(said)
    assert found, f"{broken.detector} at {sorted(broken.offsets)} was not found"
    assert {one["detector"] for one in found} == {broken.detector}, titles(found)
    for one in found:
        named = {*one["evidence"], *range(one["first_offset"], one["last_offset"] + 1)}
        assert named & broken.offsets, (titles([one]), sorted(broken.offsets))
