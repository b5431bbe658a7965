"""Words that detectors of several sections share: partitions, files, offset ranges, what a restart would cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.typed_wording import offset_range, plural


def partition_name(row: Row) -> str:
    """`topic-partition`, and the replica or the output where there are several."""
    partition, name = marked.partition(row["topic"], row["partition"]), row.get("replica")
    return f"{partition} ({marked.noun_of_replica(name)} {marked.replica(name)})" if name else partition


def file_name(row: Row) -> str:
    """The file's name without its folders; rows of output of kafka-dump-log have none."""
    return marked.file(PurePosixPath(row["name"]).name) if row.get("name") else "the dumped segment"


def offsets(first: int | None, last: int | None) -> str:
    """`offset 7` or `offsets 7-9`."""
    return "unknown offsets" if first is None else offset_range(first, last)


def log_recovery(row: Row) -> str:
    """What log recovery does here after an unclean stop. It checks the segments from the recovery point on, always the newest."""
    cut, records, point = row.get("recovery_cuts_at"), row.get("records_at_stake"), row.get("recovery_point")
    if cut is None and point is not None:
        return f"log recovery does not check this segment: the recovery point (offset {marked.offset(point)}) is in a later one"
    is_checked = point is not None or row.get("cut_segment") == row.get("newest_segment")
    unless = "" if is_checked else ", unless the recovery point is in a later segment"
    if cut is None:
        return f"log recovery truncates the log at the first corrupt batch and deletes every later segment, with all intact records in it{unless}"
    if not records:
        return f"log recovery truncates this log at offset {marked.offset(cut)}{unless}. No readable record follows there"
    return (
        f"log recovery truncates this log at offset {marked.offset(cut)}{unless}. This deletes everything from that offset on, including "
        f"{plural(records, 'record')} that can still be read"
    )


def border(file: int, position: int) -> str:
    """An entity: the position between two ranges of bytes, where one damage may reach from one into the other."""
    return f"border:{file}@{position}"


def of_segment(file: int) -> str:
    """An entity: a segment whose batches moved within their file, and what is looked up in it."""
    return f"segment:{file}"


def damaged(offset: int) -> str:
    """An entity: damage that begins at an offset, and what it holds up."""
    return f"damage:{offset}"


def some(values: Sequence[int] | None, most: int = 20) -> list[int]:
    """The first of a list of offsets, none twice."""
    return list(dict.fromkeys(values or ()))[:most]
