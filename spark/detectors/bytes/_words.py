"""Words the detectors of bytes share: places, spans of offsets, and what a restart would cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from spark.tables.replica import Row
from spark.terms.wording import plural, steps

COPY_FIRST = "Copy the whole partition folder to a safe place first, and do not restart the broker."
LOG_RECOVERY = "Kafka: kafka.log.LogLoader and UnifiedLog.recover, log recovery after an unclean shutdown"
BATCH_FORMAT = "https://kafka.apache.org/documentation/#messageformat"

FROM_A_REPLICA = (
    "Compare with another replica of the partition. If one is sound and in sync, make it the leader, stop this broker "
    "cleanly, move this partition's folder away and start the broker: it fetches the partition anew."
)
FROM_THE_COPY = (
    "Without a sound replica, produce the readable records into a new topic from the copy, and look for the lost "
    "ones at their producer."
)
CHECK_THE_MACHINE = "Check the disk and the memory of this machine before it stores anything again."


def partition_name(row: Row) -> str:
    """`topic-partition`, and the replica where there are several."""
    replica = f" (replica {row['replica']})" if row.get("replica") else ""
    return f"{row['topic']}-{row['partition']}{replica}"


def file_name(row: Row) -> str:
    """The file's name without its folders."""
    return PurePosixPath(row["name"]).name if row.get("name") else f"file {row['file']}"


def offsets(first: int | None, last: int | None) -> str:
    """`offset 7` or `offsets 7 to 9`."""
    if first is None:
        return "no known offset"
    return f"offset {first}" if last in {None, first} else f"offsets {first} to {last}"


def why_not_restart(row: Row) -> str:
    """What log recovery would do here."""
    cut, records = row.get("recovery_cuts_at"), row.get("records_at_stake")
    if cut is None:
        return (
            f"{COPY_FIRST} After an unclean stop the broker's recovery cuts the log at the first bad batch "
            "and deletes every later segment, sound records included."
        )
    lost = f", {plural(records, 'record')} that can still be read now included" if records else ""
    return (
        f"{COPY_FIRST} After an unclean stop the broker's recovery cuts this log at offset {cut} "
        f"and deletes everything after it{lost}."
    )


def remedy(row: Row) -> str:
    """The steps that are the same for every damaged stretch in the middle of a log."""
    return steps([why_not_restart(row), FROM_A_REPLICA, FROM_THE_COPY, CHECK_THE_MACHINE])


def border(file: int, position: int) -> str:
    """An entity: the place between two stretches of a file, where one damage may reach from one into the other."""
    return f"border:{file}@{position}"


def damaged(offset: int) -> str:
    """An entity: damage that begins at an offset, and what it holds up."""
    return f"damage:{offset}"


def some(values: Sequence[int] | None, most: int = 20) -> list[int]:
    """The first of a list of offsets, none twice."""
    return list(dict.fromkeys(values or ()))[:most]
