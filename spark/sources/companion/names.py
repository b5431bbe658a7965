"""Which companion a file is, by its name alone: Kafka names them all.

Source: Kafka `LogFileUtils`, `CheckpointFile` and its users, `MetaPropertiesEnsemble`, `Snapshots`, `CleanShutdownFileHandler`; Kafka
Streams `StateManagerUtil.CHECKPOINT_FILE_NAME`.
"""

from __future__ import annotations

import re

BROKER_CHECKPOINTS = {
    "cleaner-offset-checkpoint": "cleaner",
    "recovery-point-offset-checkpoint": "recovery_point",
    "replication-offset-checkpoint": "replication",
    "log-start-offset-checkpoint": "log_start",
}  # file name -> CHECKPOINTS.kind

STREAMS_CHECKPOINTS = {".checkpoint": "streams_store"}  # of a task of Kafka Streams, in its state directory

NUMBERED = re.compile(r"^(\d{20})\.(index|timeindex|txnindex|snapshot)$", re.ASCII)
LEFTOVER = re.compile(r"^\d{20}.*\.(deleted|cleaned|swap|tmp)$", re.ASCII)
CONTROLLER_SNAPSHOT = re.compile(r"^(\d{20})-(\d{10})\.checkpoint$", re.ASCII)
BOOTSTRAP = "bootstrap.checkpoint"
UNFINISHED_SNAPSHOT = re.compile(r"^\d{20}-\d{10}\.checkpoint\.(part|deleted)$", re.ASCII)
UNFINISHED = re.compile(
    r"^(leader-epoch-checkpoint|partition\.metadata|meta\.properties|.*-checkpoint)\.tmp$"
)

WHAT = {
    "index": "offset index",
    "timeindex": "time index",
    "txnindex": "index of aborted transactions",
    "snapshot": "producer state snapshot",
    "leader-epoch-checkpoint": "leader epochs of the partition",
    "partition.metadata": "id of the partition's topic",
    "meta.properties": "identity of the broker",
    "cleaner": "first offset that the log cleaner has not cleaned, of each compacted partition of the broker",
    "recovery_point": "offset up to which each partition of the broker was flushed",
    "replication": "high watermark of each partition of the broker",
    "log_start": "log start offset of the broker's partitions where it was moved",
    "streams_store": "offset of each changelog that the local stores of a Kafka Streams task contain",
}
NOT_READ = {
    "quorum-state": "the controllers' election: their leader and its epoch",
    ".lock": "lock of the broker's process",
    ".kafka_cleanshutdown": "marker of a clean stop: the broker closed all logs",
}
LEFTOVERS = {
    "deleted": "a file that the broker was about to delete",
    "cleaned": "an unfinished output of the log cleaner",
    "swap": "an output of the log cleaner that was about to replace segments",
    "tmp": "an unfinished file",
}
MAX_OFFSET = 2**63 - 1


def file_name(name: str) -> str:
    return name.rpartition("/")[2]


def kind_of(name: str) -> str | None:
    """The kind of companion, a key of WHAT; None for other files."""
    short = file_name(name)
    if numbered := NUMBERED.match(short):
        return numbered[2] if int(numbered[1]) <= MAX_OFFSET else None
    if short in BROKER_CHECKPOINTS:
        return BROKER_CHECKPOINTS[short]
    if short in STREAMS_CHECKPOINTS:
        return STREAMS_CHECKPOINTS[short]
    return short if short in {"leader-epoch-checkpoint", "partition.metadata", "meta.properties"} else None


def number_of(name: str) -> int:
    """The offset in the name of an index or a producer snapshot."""
    return int(file_name(name).split(".")[0])


def why_not_read(name: str) -> str | None:
    """Why a file of a log directory is not read; None for other files."""
    short = file_name(name)
    if leftover := LEFTOVER.match(short):
        return f"{LEFTOVERS[leftover[1]]}: not a part of the log, so it is not read"
    if UNFINISHED.match(short):
        return f"{LEFTOVERS['tmp']}, which is incomplete, so it is not read"
    if UNFINISHED_SNAPSHOT.match(short):
        return "a snapshot of the controllers' state that is unfinished or was about to be deleted: not read"
    return f"by its name: {NOT_READ[short]}; not read" if short in NOT_READ else None


def log_of_its_own(name: str) -> str | None:
    """What follows the topic's name for a file of batches that is a log of its own, or None.

    Controllers write snapshots of their state as record batches whose offsets begin at 0.
    """
    short = file_name(name)
    if snapshot := CONTROLLER_SNAPSHOT.match(short):
        return f"snapshot {int(snapshot[1])}-{int(snapshot[2])}"
    return "bootstrap" if short == BOOTSTRAP else None
