"""Nameless: an export that names no topic is a copy of the partition whose records it has, where the input has that, too.

The first records of both decide: at the offsets that both have, which are at least half of the shorter sample, each record has the
same key and, where the export keeps bytes as they are, the same value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from spark.sources import Split, sources
from spark.stages.partition_folders import UNKNOWN_TOPIC
from spark.stages.samples import sample

Partition = tuple[str, int]
Contents = dict[int, tuple[Any, ...]]  # key and value by offset
MIN_SHARED = 2  # one record may be the same by chance
MAX_SAMPLED = 64  # partitions and files; an input of more is a data folder, and dumps in it are rare
CHANGES_VALUES = {"exact-bytes", "null-or-empty"}


@dataclass(frozen=True)
class Sampled:
    """The first records of a partition or of an export."""

    split: Split
    records: pa.Table

    @property
    def partition(self) -> Partition | None:
        """As the records name it; None for those of several partitions."""
        names = set(
            zip(*(self.records.column(name).to_pylist() for name in ("topic", "partition")), strict=True)
        )
        return names.pop() if len(names) == 1 else None

    def contents(self, has_values: bool) -> Contents:
        """Keys, and values if they are to be compared."""
        columns = ["key", "value"] if has_values else ["key"]
        rows = zip(*(self.records.column(name).to_pylist() for name in columns), strict=True)
        return dict(zip(self.records.column("offset").to_pylist(), rows, strict=True))


def with_names(splits: Sequence[Split]) -> list[Split]:
    """The splits, those of nameless exports with the topic and partition that they are copies of."""
    names = names_by_content(first_splits(splits))
    return [
        replace(split, topic=names[split.file][0], partition=names[split.file][1])
        if split.file in names
        else split
        for split in splits
    ]


def first_splits(splits: Iterable[Split]) -> list[Split]:
    """One of each export and of each partition of segments, if some export may be nameless."""
    by_partition: dict[object, Split] = {}
    for split in splits:
        source = sources()[split.source]
        if source.kind != "companion" and "offset" not in source.lacks:
            by_partition.setdefault(
                split.file if source.kind == "export" else (split.topic, split.partition), split
            )
    has_nameless = any(is_export(split) and split.topic == UNKNOWN_TOPIC for split in by_partition.values())
    return list(by_partition.values()) if has_nameless and 1 < len(by_partition) <= MAX_SAMPLED else []


def is_export(split: Split) -> bool:
    """Whether a tool made the file."""
    return sources()[split.source].kind == "export"


def names_by_content(splits: Sequence[Split]) -> dict[int, Partition]:
    """File of a nameless export -> the partition that it is a copy of."""
    samples = [Sampled(split, records) for split in splits if (records := sample(split)) is not None]
    partitions = [(sampled, sampled.partition) for sampled in samples]
    named = [
        (sampled, partition)
        for sampled, partition in partitions
        if partition and partition[0] != UNKNOWN_TOPIC
    ]
    names = {}
    for sampled, partition in partitions:
        if partition is None or partition[0] != UNKNOWN_TOPIC or not is_export(sampled.split):
            continue
        originals = {name for other, name in named if are_copies(sampled, other)}
        if len(originals) == 1:
            names[sampled.split.file] = originals.pop()
    return names


def are_copies(sample: Sampled, other: Sampled) -> bool:
    """Whether the samples have mostly the same offsets, and the same records there."""
    has_values = not (sample.split.lacks | other.split.lacks) & CHANGES_VALUES
    own, others = sample.contents(has_values), other.contents(has_values)
    shared = own.keys() & others.keys()
    is_majority = len(shared) >= MIN_SHARED and 2 * len(shared) >= min(len(own), len(others))
    has_content = any(any(content is not None for content in own[offset]) for offset in shared)
    return is_majority and has_content and all(own[offset] == others[offset] for offset in shared)
