"""Names of files and folders that Kafka gives, or that consist of its words alone: a share shows them where names of uploads
are hidden.

    file     `00000000000000000154.log`, its indexes, leader-epoch-checkpoint: what Kafka calls the files of a log and of a broker
    folder   `broker-1`, `kafka-logs-2`: words of a cluster and one number at the end; any other folder is `…`

What does not follow the grammar may contain the name of a person or a company and is none of these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

OF_A_LOG = re.compile(
    r"\d{20}(\.(log|index|timeindex|txnindex|snapshot)(\.(deleted|cleaned|swap|tmp))?)?"
    r"|\d{20}-\d{10}\.checkpoint(\.(part|deleted))?",
    re.ASCII,
)
OF_A_BROKER = frozenset(
    {
        "leader-epoch-checkpoint", "partition.metadata", "meta.properties", "quorum-state", "bootstrap.checkpoint",
        "cleaner-offset-checkpoint", "recovery-point-offset-checkpoint", "replication-offset-checkpoint",
        "log-start-offset-checkpoint", ".lock", ".kafka_cleanshutdown",
    }
)  # fmt: skip
WORD = "(?:broker|brokers|kafka|node|server|controller|replica|leader|follower|data|log|logs|disk|dir|volume)"
FOLDER = re.compile(rf"{WORD}(?:[-_.]?{WORD})*(?:[-_.]?\d{{1,6}})?|\d{{1,4}}", re.ASCII | re.IGNORECASE)
LEFTOVER = re.compile(
    r".+\.[0-9A-Za-z_-]+(-delete|-future|-stray)", re.ASCII
)  # what a broker moved out of a log
OF_A_CLUSTER = re.compile(r" \(cluster .+\)$")
ELLIPSIS = "…"
NUMBERED_COPY = re.compile(
    r"(?:replica|copy) \d+ of \d+"
)  # how a copy is named whose folders cannot be shown


def is_of_kafka(file: str) -> bool:
    """Whether the last part of a path is a name that Kafka gives."""
    name = file.rpartition("/")[2]
    return bool(OF_A_LOG.fullmatch(name)) or name in OF_A_BROKER


def plain_folders(path: str) -> str:
    """`broker-1` of `upload.tgz/acme/broker-1`, `broker-1/…` of `broker-1/acme`; empty where no folder can be shown."""
    folders = [_plain(folder) for folder in OF_A_CLUSTER.sub("", path).split("/")]
    first, *others = (folder for folder, _ in groupby(folders))
    return "/".join(others if first == ELLIPSIS else [first, *others])


def copy_names(copies: Sequence[str], noun: str = "copy") -> dict[str, str]:
    """A name for each copy, in their order: its folders if no other has the same, otherwise `replica 2 of 3: broker-1`."""
    folders = {copy: plain_folders(copy) for copy in copies}
    counts = Counter(folders.values())
    names = {}
    for number, (copy, folder) in enumerate(folders.items(), 1):
        numbered = f"{noun} {number} of {len(folders)}"
        is_alone = folder and counts[folder] == 1
        names[copy] = folder if is_alone else f"{numbered}: {folder}" if folder else numbered
    return names


def _plain(folder: str) -> str:
    if leftover := LEFTOVER.fullmatch(folder):
        return f"{ELLIPSIS}{leftover[1]}"
    return folder if FOLDER.fullmatch(folder) else ELLIPSIS
