"""Log segment (`<20 digits>.log`): record batches in sequence, as the broker stores them.

    recognise.py  by name and first batch        survey.py   headers walked, damage found, splits cut (plan)
    batches.py    headers                        read.py     a split into tables (decode tasks)
    records.py    records in compiled code       codecs.py   decompression     columns.py  Arrow tables

No bytes make this raise: an unreadable range is a row of `damage`. Page: docs/sources/log-segment.md
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import asdict

from spark.sources import InputFile, Source, Split
from spark.sources._rows import DamagedRange
from spark.sources.log_segment.mapped import MappedFile
from spark.sources.log_segment.read import read
from spark.sources.log_segment.recognise import base_offset, recognise
from spark.sources.log_segment.survey import survey


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    """Splits of about 16 MB at batch borders; each has the damage that begins in it."""
    surveyed = survey(MappedFile.open(file.path), base_offset(file.name))
    if not file.size_bytes:
        return []
    ends = [*surveyed.borders[1:], file.size_bytes]
    damage = by_split(surveyed.borders, surveyed.damage)
    return [
        Split(
            number,
            file.path,
            file.name,
            "log-segment",
            start,
            end,
            topic,
            partition,
            replica,
            {"damage": [asdict(damaged) for damaged in damaged_ranges]} if damaged_ranges else {},
        )
        for start, end, damaged_ranges in zip(surveyed.borders, ends, damage, strict=True)
    ]


def by_split(borders: list[int], damage: list[DamagedRange]) -> list[list[DamagedRange]]:
    groups: list[list[DamagedRange]] = [[] for _ in borders]
    for damaged in damage:
        groups[bisect_right(borders, damaged.position) - 1].append(damaged)
    return groups


source = Source(
    id="log-segment",
    title="Kafka log segment",
    kind="segment",
    recognise=recognise,
    read=read,
    cut=split,
)
