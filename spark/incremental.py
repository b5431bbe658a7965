"""What an inspection keeps for the next one of the same log, and what that one takes over.

A watched log grows at its end. Segments that were decoded need not be decoded again: their Parquet files and their share
of the key index are linked into the new result folder. So are the keys and the key history of buckets, and the state of partitions,
to which nothing was added (docs/decisions/0010).

    decoded.json    {"code": hash of the code, "buckets": {...}, "bundles": [{"splits": [...], "done": {...}}, ...],
                     "related": {bucket: {...}}, "replayed": [{"task": {...}, "parts": [...]}, ...]}

What is taken over was made from the same bytes, of a file with the same number and name, under the same limits and dialect,
by the same code. Where decoded.json is missing or of other code, nothing is taken over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from spark.dialects import dialects
from spark.inspection import Inspection
from spark.sources import Split, sources
from spark.stages.buckets import (
    BUNDLE_BYTES,
    SEGMENT,
    are_outgrown,
    buckets_for,
    bundles,
    bytes_of,
    replica_of_split,
)
from spark.stages.decode import KEY_INDEX_FOLDER, Counts, Decoded
from spark.stages.plan import InspectionPlan
from spark.stages.relate import Related
from spark.stages.replay import ReplayTask
from spark.storage.stored_path import ResultPath, copy_file, remove_tree, write_whole
from spark.tables import Part
from spark.tables.key_index import Buckets
from spark.tables.replica import PartitionReplica

NAME = "decoded.json"
MAX_SMALL = 16  # bundles of less than half their size: with more of them, tables fall into too many files
Row = dict[str, Any]  # of a member of decoded.json


@dataclass(frozen=True)
class IncrementalRun:
    """The log will grow: the inspection keeps its results for the next one. `after`: result folder of the one before."""

    after: ResultPath | None = None


def take_over(inspection: Inspection, earlier: ResultPath) -> Inspection:
    """The planned inspection, with what an earlier one did of its work; those files are linked into its results."""
    try:
        document = json.loads((earlier / NAME).read_text())
        if document["code"] == code() and all(may_be_kept(split) for split in inspection.plan.splits):
            return taken_over(inspection, earlier, document)
    except (FileNotFoundError, json.JSONDecodeError, KeyError):  # removed meanwhile, or of another time
        remove_tree(inspection.results)
        inspection.results.mkdir(parents=True)
    return inspection


def may_be_kept(split: Split) -> bool:
    """Exports name partitions in their lines: what is added to which is known only when they are read."""
    return split.source == SEGMENT or sources()[split.source].kind == "companion"


def taken_over(inspection: Inspection, earlier: ResultPath, document: Row) -> Inspection:
    """The same by its decoded.json. Raises FileNotFoundError when a file that it names was removed."""
    plan, results = inspection.plan, inspection.results
    ranges = {PartitionReplica(*replica): tuple(r) for replica, r in document["buckets"]["ranges"]}
    buckets = buckets_for(plan.splits, Buckets(document["buckets"]["count"], ranges))
    if are_outgrown(buckets, plan.splits):
        return inspection
    names = [identity_of(split, plan) for split in plan.splits]
    splits = {name: split for name, split in zip(names, plan.splits, strict=True) if name is not None}
    unchanged = [row for row in document["bundles"] if is_unchanged(row, splits, plan)]
    retained = without_many_small(unchanged, splits)
    taken = {name for row in retained for name in row["splits"]}
    due = bundles(split for name, split in zip(names, plan.splits, strict=True) if name not in taken)
    work: list[tuple[list[Split], Row | None]] = [(bundle, None) for bundle in due]
    work += [([splits[name] for name in row["splits"]], row) for row in retained]
    work.sort(key=lambda pair: (pair[0][0].file, pair[0][0].start))
    decoded = {
        number: decoded_from(row["done"], Link(earlier, results, f"{number:05d}"))
        for number, (_, row) in enumerate(work)
        if row is not None
    }
    changed = {replica_of_split(split) for bundle in due for split in bundle}
    for row in document["bundles"]:
        if row not in retained:
            changed |= {PartitionReplica(*replica) for replica in row["places"]}
    link = Link(earlier, results, "")
    return replace(
        inspection,
        plan=replace(plan, bundles=[bundle for bundle, _ in work], buckets=buckets),
        decoded=decoded,
        related=unchanged_buckets(document["related"], buckets, changed, link),
        replayed=unchanged_replays(document["replayed"], changed, link),
    )


def is_unchanged(bundle: Row, splits: Mapping[str, Split], plan: InspectionPlan) -> bool:
    """Whether the plan has all splits of a bundle, with their dialects."""
    return all(name in splits for name in bundle["splits"]) and all(
        plan.dialect_of(topic)[0] == dialect_id for topic, dialect_id in bundle["dialects"].items()
    )


def without_many_small(bundle_rows: list[Row], splits: Mapping[str, Split]) -> list[Row]:
    """The bundles without the small ones, if those are many: they are decoded together, as one."""
    small = [
        row for row in bundle_rows if 2 * bytes_of(splits[name] for name in row["splits"]) < BUNDLE_BYTES
    ]
    return bundle_rows if len(small) <= MAX_SMALL else [row for row in bundle_rows if row not in small]


def unchanged_buckets(
    rows: Mapping[str, Row], buckets: Buckets, changed: Collection[PartitionReplica], link: Link
) -> dict[int, Related]:
    """Buckets without a key of a changed replica."""
    touched = {
        bucket for first, number in map(buckets.of, changed) for bucket in range(first, first + number)
    }
    related = {}
    for bucket, row in ((int(name), row) for name, row in rows.items()):
        if bucket not in touched:
            parts = link.parts(row["parts"], f"{bucket:05d}-kept")
            first_repeat = {PartitionReplica(*replica): offset for replica, offset in row["first_repeat"]}
            related[bucket] = Related(parts, row["keys"], first_repeat)
    return related


def unchanged_replays(
    rows: Iterable[Row], changed: Collection[PartitionReplica], link: Link
) -> dict[ReplayTask, list[Part]]:
    """Replays of unchanged replicas, but those that load a snapshot first: these read other partitions."""
    replayed = {}
    for number, row in enumerate(rows):
        task = ReplayTask.from_json(row["task"])
        if task.replica not in changed and not dialects()[task.dialect].base:
            replayed[task] = link.parts(row["parts"], f"{number:05d}-kept")
    return replayed


@dataclass(frozen=True)
class Link:
    """Takes files of one result folder into another. Raises FileNotFoundError when one is gone."""

    earlier: ResultPath
    results: ResultPath
    task: str

    def file(self, name: str, new_name: str) -> None:
        """The same bytes under both names."""
        copy_file(self.earlier / name, self.results / new_name)

    def parts(self, rows: Sequence[Sequence[Any]], task: str) -> list[Part]:
        """The files of a task under the names of another one."""
        parts = []
        for number, (table, name, count) in enumerate(rows):
            part = Part(table, f"{table}/{task}-{number}.parquet", count)
            self.file(name, part.name)
            parts.append(part)
        return parts


def decoded_from(row: Row, link: Link) -> Decoded:
    """What a decode task did, its files linked."""
    key_index = None
    if row["key_index"]:
        name = f"{KEY_INDEX_FOLDER}/{link.task}-kept.arrow"
        link.file(row["key_index"], name)
        key_index = str(link.results / name)
    counts = [
        Counts(**members | {"replica": PartitionReplica(*members["replica"])}) for members in row["counts"]
    ]
    notes = [(file, note) for file, note in row["notes"]]
    parts = link.parts(row["parts"], f"{link.task}-kept")
    return Decoded(parts, key_index, counts, row["unreadable_bytes"], notes)


def keep(inspection: Inspection) -> None:
    """Write decoded.json, whole or not at all. The key index stays."""
    plan, results = inspection.plan, inspection.results
    bundle_rows: list[Row] = [
        {
            "splits": [identity_of(split, plan) for split in bundle],
            "places": sorted({replica_of_split(split) for split in bundle}),
            "dialects": {
                counts.replica.topic: plan.dialect_of(counts.replica.topic)[0] for counts in decoded.counts
            },
            "done": {
                **asdict(decoded),
                "parts": rows_of(decoded.parts),
                "key_index": below(results, decoded.key_index),
            },
        }
        for bundle, decoded in zip(plan.bundles, inspection.decoded.values(), strict=True)
    ]
    document = {
        "code": code(),
        "buckets": {"count": plan.buckets.count, "ranges": list(plan.buckets.ranges.items())},
        "bundles": [row for row in bundle_rows if None not in row["splits"]],
        "related": {
            bucket: {
                "parts": rows_of(related.parts),
                "keys": related.keys,
                "first_repeat": list(related.first_repeat.items()),
            }
            for bucket, related in inspection.related.items()
        },
        "replayed": [
            {"task": asdict(task), "parts": rows_of(parts)} for task, parts in inspection.replayed.items()
        ],
    }
    write_whole(results / NAME, json.dumps(document))


def identity_of(split: Split, plan: InspectionPlan) -> str | None:
    """All that decides what a split's task writes, but its dialect; None where the file's hash is unknown."""
    sha256 = plan.files[split.file]["sha256"]
    return json.dumps({**asdict(split), "path": sha256}, sort_keys=True) if sha256 else None


def rows_of(parts: Iterable[Part]) -> list[tuple[str, str, int]]:
    return [(part.table, part.name, part.rows) for part in parts]


def below(results: ResultPath, path: str | None) -> str | None:
    """A path or an address as seen from the result folder."""
    return path and path.removeprefix(f"{str(results).rstrip('/')}/")


@cache
def code() -> str:
    """SHA-256 over this package's modules: with other code, nothing is taken over."""
    root = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return digest.hexdigest()
