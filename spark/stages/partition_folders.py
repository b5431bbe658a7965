"""Partition folders: which topic, partition and copy (replica) a file belongs to, by the folders it lies in.

A folder's name alone is no proof: `connect-410` may be Connect's version. A folder is a partition's when it has a partition's
name and a file in it has the name of a segment or of a partition's companion.

A partition's copy is named by the folder above its own where the input holds several copies. What else lies beside
a live log gets a name that says so, and such a name never stands for a replica to compare with:

    orders-0.<unique>-delete | -future | -stray    the folder's own name, where another copy is there
    broker-2 (cluster <id>)                        where the input holds folders of several clusters
    segments in folders that name no partition     topic `?`, each folder a copy of its own

A snapshot of the controllers (`<offset>-<epoch>.checkpoint`, `bootstrap.checkpoint`) is a log of its own: topic
`__cluster_metadata snapshot 59-1`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from spark.sources import InputFile
from spark.sources.companion.names import BROKER_CHECKPOINTS, file_name, log_of_its_own
from spark.sources.companion.texts import InvalidCompanion, property_rows
from spark.storage.files import read_bytes
from spark.tables.replica import PartitionReplica

UNKNOWN_TOPIC = "?"
CONTROLLERS_TOPIC = "__cluster_metadata"

# A partition's folder: <topic>-<partition>, or <topic>-<partition>.<unique>-delete|-future|-stray.
PARTITION_FOLDER = re.compile(
    r"^(?P<topic>.+)-(?P<partition>0|[1-9]\d{0,8})(?P<leftover>\.[0-9A-Za-z_-]+-(delete|future|stray))?$",
    re.ASCII,
)
OF_A_PARTITION = re.compile(
    r"\d{20}\.(log|index|timeindex|txnindex|snapshot)|leader-epoch-checkpoint|partition\.metadata", re.ASCII
)
# What also shows that a folder is a partition's: prints named for their segment, snapshots of controllers.
NAMED_FOR_AN_OFFSET = re.compile(r"\d{20}[.-].+", re.ASCII)
LEFTOVER_FOLDER = re.compile(r"-(delete|future|stray)$")
LEFTOVER_COPY = r"-(delete|future|stray)$"  # what the replica's name of a leftover folder ends in
OF_A_CLUSTER = r" \(cluster (.+)\)$"  # the same where there are several clusters
OF_THE_BROKER = frozenset({*BROKER_CHECKPOINTS, "meta.properties"})
MAX_PROPERTIES_BYTES = 64 * 1024


@dataclass(frozen=True)
class Home:
    """A partition's folder as its path names it; `folder` is empty where files of any folder are one log."""

    topic: str
    partition: int
    folder: str
    is_leftover: bool = False


NOWHERE = Home(UNKNOWN_TOPIC, 0, "")


def find_replicas(names: Sequence[str], clusters: Mapping[str, str] | None = None) -> list[PartitionReplica]:
    """Topic, partition and replica of each file. `clusters`: see `clusters_of`."""
    homes = homes_of(names)
    named = replica_names(set(homes), clusters or {})
    replicas = [PartitionReplica(home.topic, home.partition, named[home]) for home in homes]
    brokers = broker_names(named)
    return [
        replica._replace(replica=brokers.get(folder_of(name), ""))
        if file_name(name) in OF_THE_BROKER
        else replica
        for name, replica in zip(names, replicas, strict=True)
    ]


def homes_of(names: Sequence[str]) -> list[Home]:
    """The folder of each file. Whether it is a partition's depends on the other files in it."""
    folders = {folder_of(name) for name in names if is_of_a_partition(file_name(name))}
    return [home_of(name, folders) for name in names]


def is_of_a_partition(name: str) -> bool:
    """Whether a file is named as Kafka, or a print of its segments, names files in a partition's folder."""
    return bool(OF_A_PARTITION.fullmatch(name) or NAMED_FOR_AN_OFFSET.fullmatch(name))


def home_of(name: str, folders: Container[str]) -> Home:
    """The folder a file lies in, read as a partition's if it is one of `folders`; loose files of a log belong to their
    folder's."""
    folder = folder_of(name)
    if file_name(name) in OF_THE_BROKER:
        return NOWHERE
    match = PARTITION_FOLDER.fullmatch(file_name(folder))
    if own := log_of_its_own(name):
        return Home(f"{match['topic'] if match else CONTROLLERS_TOPIC} {own}", 0, folder)
    if match and folder in folders:
        return Home(match["topic"], int(match["partition"]), folder, match["leftover"] is not None)
    if OF_A_PARTITION.fullmatch(file_name(name)):
        return Home(UNKNOWN_TOPIC, 0, folder)
    return NOWHERE


def is_in_partition_folder(name: str) -> bool:
    """Whether a file lies in a folder with a partition's name and is named as files in one are."""
    return is_of_a_partition(file_name(name)) and bool(PARTITION_FOLDER.fullmatch(file_name(folder_of(name))))


def replica_names(homes: Iterable[Home], clusters: Mapping[str, str]) -> dict[Home, str]:
    """What tells the copies of a partition apart; empty for the only one."""
    copies: dict[tuple[str, int], list[Home]] = defaultdict(list)
    for home in homes:
        copies[home.topic, home.partition].append(home)
    several = len(set(clusters.values())) > 1
    return {
        home: name_of(home, group, clusters.get(above(home.folder), "") if several else "")
        for group in copies.values()
        for home in group
    }


def name_of(home: Home, group: list[Home], cluster: str) -> str:
    """One copy's name among those of its partition."""
    if home is NOWHERE or len(group) == 1:
        return ""
    if home.is_leftover:
        return home.folder
    if home.topic == UNKNOWN_TOPIC:
        return "" if home.folder == "." else home.folder
    if sum(not sibling.is_leftover for sibling in group) == 1:
        return ""
    broker = above(home.folder)
    name = home.folder if broker == "." else broker
    return f"{name} (cluster {cluster})" if cluster else name


def broker_names(named: Mapping[Home, str]) -> dict[str, str]:
    """The replica's name that a broker's own files carry, by the broker's folder: that of the partitions in it."""
    names: dict[str, str] = {}
    for home, name in named.items():
        if home.topic != UNKNOWN_TOPIC and not home.is_leftover and name:
            names.setdefault(above(home.folder), name)
    return names


def copies_beside(names: Sequence[str], replicas: Sequence[PartitionReplica]) -> dict[str, dict[str, str]]:
    """By a broker's folder, the replica of each live partition in it by `<topic>-<partition>`: what the lines of the
    broker's checkpoints speak of."""
    copies: dict[str, dict[str, str]] = defaultdict(dict)
    for home, replica in zip(homes_of(names), replicas, strict=True):
        if home.topic != UNKNOWN_TOPIC and not home.is_leftover:
            copies[above(home.folder)][f"{home.topic}-{home.partition}"] = replica.replica
    return copies


def clusters_of(files: Sequence[InputFile]) -> dict[str, str]:
    """Cluster ids by the broker's folder, as far as files of meta.properties tell."""
    clusters = {}
    for file in files:
        if file_name(file.name) == "meta.properties" and file.size_bytes <= MAX_PROPERTIES_BYTES:
            try:
                properties = dict(property_rows(read_bytes(file.path)))
            except InvalidCompanion:
                continue
            if cluster := properties.get("cluster.id"):
                clusters[folder_of(file.name)] = cluster
    return clusters


def notes_on_clusters(names: Sequence[str], clusters: Mapping[str, str]) -> list[str]:
    """A sentence for each file of a broker's folder when the input holds folders of several clusters."""
    if len(set(clusters.values())) < 2:
        return [""] * len(names)
    notes = {
        folder: f"of cluster {cluster}, one of {len(set(clusters.values()))} in the input: "
        "its partitions are kept apart and not compared with those of the others"
        for folder, cluster in clusters.items()
    }
    folders = [
        folder_of(name) if home.topic == UNKNOWN_TOPIC else above(home.folder)
        for name, home in zip(names, homes_of(names), strict=True)
    ]
    return [notes.get(folder, "") for folder in folders]


@lru_cache(maxsize=1 << 17)
def folder_of(name: str) -> str:
    """The folder a file lies in. Asked several times of each file, and a data folder has tens of thousands."""
    return str(PurePosixPath(name).parent)


def above(folder: str) -> str:
    return str(PurePosixPath(folder).parent)
