"""Kept: what an inspection leaves for the next one of the same log, and what that one takes over.

A watched log grows at its end. Segments that were decoded need not be decoded again: their Parquet files and their share
of the key index are linked into the new result folder. So are the keys and the key history of buckets, and the state of partitions,
to which nothing was added (docs/decisions/0010).

    decoded.json    {"code": hash of the code, "buckets": {...}, "bundles": [{"splits": [...], "done": {...}}, ...],
                     "related": {bucket: {...}}, "replayed": {task: [...]}}

What is taken over was made from the same bytes, of a file with the same number and name, under the same limits and dialect,
by the same code. A folder that does not tell, or is gone, gives nothing, and all is done anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import spark
from spark.dialects import dialects
from spark.sources import Split, sources
from spark.stages.buckets import SEGMENT, are_outgrown, buckets_for, bytes_of, replica_of_split
from spark.stages.decode import BUNDLE_BYTES, Counts, Decoded, bundles
from spark.stages.plan import InspectionPlan
from spark.stages.relate import Related
from spark.stages.replay import Task
from spark.storage.stored_path import ResultPath, copy_file, remove_tree, write_whole
from spark.tables import Part
from spark.tables.key_index import Buckets
from spark.tables.replica import PartitionReplica

NAME = "decoded.json"
MAX_SMALL = 16  # bundles of less than half their size: with more of them, tables fall into too many files
Row = dict[str, Any]


@dataclass
class ReusePlan:
    """What is to be decoded, and what of it, and of the stages that follow, is there already."""

    bundles: list[list[Split]]
    buckets: Buckets
    decoded: dict[int, Decoded] = field(default_factory=dict)  # by number of the bundle
    related: dict[int, Related] = field(default_factory=dict)  # by bucket
    replayed: dict[str, list[Part]] = field(default_factory=dict)  # by `name_of`


def all_of(planned: InspectionPlan) -> ReusePlan:
    """Nothing is there."""
    return ReusePlan(bundles(planned.splits), buckets_for(planned.splits))


def work_after(earlier: ResultPath, planned: InspectionPlan, results: ResultPath) -> ReusePlan:
    """What is left to do after an earlier inspection; what it has done is linked into `results`."""
    try:
        known = json.loads((earlier / NAME).read_text())
        if known["code"] == code() and all(may_be_kept(split) for split in planned.splits):
            return taken_over(earlier, known, planned, results)
    except (FileNotFoundError, json.JSONDecodeError, KeyError):  # removed meanwhile, or of another time
        remove_tree(results)
        results.mkdir(parents=True)
    return all_of(planned)


def may_be_kept(split: Split) -> bool:
    """Exports name partitions in their lines: what is added to which is known only when they are read."""
    return split.source == SEGMENT or sources()[split.source].kind == "companion"


def taken_over(earlier: ResultPath, known: Row, planned: InspectionPlan, results: ResultPath) -> ReusePlan:
    """The work that is left."""
    ranges = {PartitionReplica(*replica): tuple(r) for replica, r in known["buckets"]["ranges"]}
    buckets = buckets_for(planned.splits, Buckets(known["buckets"]["count"], ranges))
    if are_outgrown(buckets, planned.splits):
        return all_of(planned)
    here = {name: split for split in planned.splits if (name := identity_of(split, planned)) is not None}
    retained = without_many_small(
        [
            bundle
            for bundle in known["bundles"]
            if all(name in here for name in bundle["splits"])
            and all(planned.dialect_of(topic)[0] == id for topic, id in bundle["dialects"].items())
        ],
        here,
    )
    taken = [[here[name] for name in bundle["splits"]] for bundle in retained]
    used = {id(split) for group in taken for split in group}
    due = bundles([split for split in planned.splits if id(split) not in used])
    work = ReusePlan(sorted([*taken, *due], key=lambda group: (group[0].file, group[0].start)), buckets)
    numbers = {id(group): number for number, group in enumerate(work.bundles)}
    for group, bundle in zip(taken, retained, strict=True):
        number = numbers[id(group)]
        work.decoded[number] = decoded_from(bundle["done"], Link(earlier, results, f"{number:05d}"))
    gone = [bundle for bundle in known["bundles"] if bundle not in retained]
    changed = {replica_of_split(split) for group in due for split in group}
    changed |= {PartitionReplica(*replica) for bundle in gone for replica in bundle["places"]}
    take_later_stages(known, work, changed, Link(earlier, results, ""))
    return work


def without_many_small(retained: list[Row], here: Mapping[str, Split]) -> list[Row]:
    """The bundles without the small ones, if those are many: they are decoded together, as one."""
    sizes = [bytes_of(here[name] for name in bundle["splits"]) for bundle in retained]
    small = [bundle for bundle, size in zip(retained, sizes, strict=True) if 2 * size < BUNDLE_BYTES]
    return retained if len(small) <= MAX_SMALL else [bundle for bundle in retained if bundle not in small]


def take_later_stages(known: Row, work: ReusePlan, changed: set[PartitionReplica], link: Link) -> None:
    """What was told of keys and states where nothing was added."""
    touched = {
        bucket for first, number in map(work.buckets.of, changed) for bucket in range(first, first + number)
    }
    for bucket, row in known["related"].items():
        if int(bucket) not in touched:
            parts = link.parts(row["parts"], f"{int(bucket):05d}-kept")
            first_repeat = {PartitionReplica(*replica): offset for replica, offset in row["first_repeat"]}
            work.related[int(bucket)] = Related(parts, row["keys"], first_repeat)
    for number, row in enumerate(known["replayed"]):
        if PartitionReplica(*row["place"]) not in changed:
            work.replayed[row["task"]] = link.parts(row["parts"], f"{number:05d}-kept")


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
        link.file(row["key_index"], f"spine/{link.task}-kept.arrow")
        key_index = str(link.results / "spine" / f"{link.task}-kept.arrow")
    counts = [Counts(**each) for each in row["counts"]]
    notes = [(file, note) for file, note in row["notes"]]
    return Decoded(
        link.parts(row["parts"], f"{link.task}-kept"), key_index, counts, row["unreadable_bytes"], notes
    )


def keep(
    results: ResultPath,
    planned: InspectionPlan,
    work: ReusePlan,
    decoded: Sequence[Decoded],
    related: Sequence[Related],
    replayed: Iterable[tuple[Task, list[Part]]],
) -> None:
    """Write decoded.json, whole or not at all. The key index stays."""
    retained: list[Row] = [
        {
            "splits": [identity_of(split, planned) for split in group],
            "places": sorted({replica_of_split(split) for split in group}),
            "dialects": {count.topic: planned.dialect_of(count.topic)[0] for count in done.counts},
            "done": {
                **asdict(done),
                "parts": rows_of(done.parts),
                "key_index": below(results, done.key_index),
            },
        }
        for group, done in zip(work.bundles, decoded, strict=True)
    ]
    document = {
        "code": code(),
        "buckets": {"count": work.buckets.count, "ranges": list(work.buckets.ranges.items())},
        "bundles": [bundle for bundle in retained if None not in bundle["splits"]],
        "related": {
            bucket: {
                "parts": rows_of(one.parts),
                "keys": one.keys,
                "first_repeat": list(one.first_repeat.items()),
            }
            for bucket, one in enumerate(related)
        },
        "replayed": [
            {"task": name_of(task), "place": task.replica, "parts": rows_of(parts)}
            for task, parts in replayed
        ],
    }
    write_whole(results / NAME, json.dumps(document))


def identity_of(split: Split, planned: InspectionPlan) -> str | None:
    """All that decides what a split's task writes, but its dialect; None where the file's hash is not known."""
    sha256 = planned.files[split.file]["sha256"]
    return json.dumps({**asdict(split), "path": sha256}, sort_keys=True) if sha256 else None


def replayed_before(task: Task, work: ReusePlan) -> list[Part] | None:
    """The files of a replay that need not run again. One that loads a snapshot first reads what other partitions hold."""
    return None if dialects()[task.dialect].base else work.replayed.get(name_of(task))


def name_of(task: Task) -> str:
    """All that decides what a replay reads and writes, but the records."""
    return json.dumps({**asdict(task), "number": None}, sort_keys=True)


def rows_of(parts: Iterable[Part]) -> list[tuple[str, str, int]]:
    """Parts as JSON has them."""
    return [(part.table, part.name, part.rows) for part in parts]


def below(results: ResultPath, path: str | None) -> str | None:
    """A path or an address as seen from the result folder."""
    return path and path.removeprefix(f"{str(results).rstrip('/')}/")


@cache
def code() -> str:
    """SHA-256 over this package's modules: with other code, nothing is taken over."""
    root = Path(spark.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return digest.hexdigest()
