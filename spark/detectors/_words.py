"""Words and steps that detectors of several sections share: partitions, files, offset ranges, what a restart would cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.topic_commands import keep_cleaner_away, let_cleaner_work
from spark.terms.topic_rules import written_again
from spark.terms.typed_wording import offset_range, plural, steps

COPY = "Copy the whole partition folder to another disk."
BEFORE_A_RESTART = f"Warning: do not restart the broker before this copy is complete. {COPY}"
COPY_FIRST = f"{COPY} Do not restart the broker before the copy is complete."
LOG_RECOVERY = "Kafka: kafka.log.LogLoader and UnifiedLog.recover, log recovery after an unclean shutdown"
BATCH_FORMAT = "https://kafka.apache.org/documentation/#messageformat"

FROM_A_REPLICA = (
    "Compare this replica with the other replicas of the partition. If another replica is intact and in sync, make it the leader, "
    "stop this broker cleanly, move this partition's folder away and keep it. Then start the broker: it fetches the partition "
    "from the leader."
)
FROM_THE_COPY = (
    "If no replica is intact, produce the readable records from the copy to a new topic. Ask the owner of the producer for "
    "the lost records."
)
CHECK_THE_MACHINE = "Check the disk and the memory of this machine before it stores data again."


def partition_name(row: Row) -> str:
    """`topic-partition`, and the replica where there are several."""
    replica = f" (replica {marked.replica(row['replica'])})" if row.get("replica") else ""
    return f"{marked.partition(row['topic'], row['partition'])}{replica}"


def file_name(row: Row) -> str:
    """The file's name without its folders."""
    return (
        marked.file(PurePosixPath(row["name"]).name)
        if row.get("name")
        else f"file {marked.number(row['file'])}"
    )


def offsets(first: int | None, last: int | None) -> str:
    """`offset 7` or `offsets 7-9`."""
    return "unknown offsets" if first is None else offset_range(first, last)


def why_not_restart(row: Row) -> str:
    """What log recovery would do here."""
    cut, records = row.get("recovery_cuts_at"), row.get("records_at_stake")
    if cut is None:
        return (
            f"{BEFORE_A_RESTART} After an unclean stop, log recovery truncates the log at the first corrupt "
            "batch and deletes every later segment, with all intact records in it."
        )
    lost = f", including {plural(records, 'record')} that can still be read" if records else ""
    return (
        f"{BEFORE_A_RESTART} After an unclean stop, log recovery truncates this log at offset {marked.offset(cut)}. It also "
        f"deletes everything after it{lost}."
    )


def from_the_copy(topic: str) -> str:
    """What is done with the records that can still be read, where no replica is intact."""
    instead = written_again(topic)
    return (
        f"If no replica is intact, the unreadable records are lost. {instead}" if instead else FROM_THE_COPY
    )


def remedy(row: Row) -> str:
    """The steps that are the same for all damage in the middle of a log."""
    return steps([why_not_restart(row), FROM_A_REPLICA, from_the_copy(row["topic"]), CHECK_THE_MACHINE])


def stop_compaction(topic: str) -> str:
    """Takes effect without a restart."""
    return f"Pause compaction of the topic: {keep_cleaner_away(topic)}"


def look_again(topic: str) -> str:
    """The end: back to normal, and checked."""
    return f"Inspect a new dump. If this finding is no longer present, resume compaction: {let_cleaner_work(topic)}"


def border(file: int, position: int) -> str:
    """An entity: the position between two ranges of bytes, where one damage may reach from one into the other."""
    return f"border:{file}@{position}"


def damaged(offset: int) -> str:
    """An entity: damage that begins at an offset, and what it holds up."""
    return f"damage:{offset}"


def some(values: Sequence[int] | None, most: int = 20) -> list[int]:
    """The first of a list of offsets, none twice."""
    return list(dict.fromkeys(values or ()))[:most]
