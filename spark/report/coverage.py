"""Coverage: what of the input was read, by partition, and what its layouts could not tell."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from spark.dialects import dialects
from spark.report.copies import Copies, counted_once
from spark.sources import LACKS, Source
from spark.stages.decode import Counts, Decoded
from spark.stages.journal_owner import Origin
from spark.stages.plan import InspectionPlan, partitions_without_log
from spark.tables import Manifest
from spark.tables.replica import PartitionReplica
from spark.tables.store import ResultTables


def replicas(decoded: list[Decoded]) -> list[PartitionReplica]:
    """Every partition that holds a record, sorted."""
    return sorted({PartitionReplica(c.topic, c.partition, c.replica) for one in decoded for c in one.counts})


def records(decoded: list[Decoded]) -> Counter[tuple[str, int]]:
    """Records of each partition, in all its replicas."""
    counts: Counter[tuple[str, int]] = Counter()
    for one in decoded:
        for c in one.counts:
            counts[c.topic, c.partition] += c.data_records + c.control_records
    return counts


def by_partition(planned: InspectionPlan, decoded: list[Decoded]) -> dict[str, list[Counts]]:
    """Counts of all copies of a partition under the name `<topic>-<partition>`; none for one whose log is empty or missing."""
    partitions: dict[str, list[Counts]] = defaultdict(list)
    for topic, partition in partitions_without_log(planned.files):
        partitions[f"{topic}-{partition}"] = []
    for row in planned.files:
        if row["kind"] == "segment":
            partitions[f"{row['topic']}-{row['partition']}"] = []
    for one in decoded:
        for counts in one.counts:
            partitions[f"{counts.topic}-{counts.partition}"].append(counts)
    return dict(sorted(partitions.items()))


def coverage(
    planned: InspectionPlan,
    decoded: list[Decoded],
    layouts: list[Source],
    copies: Copies | None = None,
    numbered: Collection[PartitionReplica] = (),
) -> dict[str, Any]:
    """The report's `coverage`, with a few members more for the pages. Records of several copies count once; `numbered` are
    copies without offsets."""
    partitions = by_partition(planned, decoded)
    every = [c for group in partitions.values() for c in group]
    once = {name: counted_once(group, copies or {}) for name, group in partitions.items()}
    counts = [c for group in once.values() for c in group]
    with_offsets = {
        name: [c for c in group if PartitionReplica(c.topic, c.partition, c.replica) not in numbered]
        for name, group in partitions.items()
    }
    times = [
        t for c in every for t in (c.first_timestamp_ms, c.last_timestamp_ms) if t is not None and t >= 0
    ]
    return {
        "records": sum(c.data_records for c in counts),
        "records_per_partition": {name: sum(c.data_records for c in group) for name, group in once.items()},
        "offsets_per_partition": {
            name: [min(c.first_offset for c in group), max(c.last_offset for c in group)]
            for name, group in with_offsets.items()
            if group
        },
        "control_records": sum(c.control_records for c in counts),
        "tombstones": sum(c.tombstones for c in counts),
        "restarts": sum(c.restarts for c in counts),
        "first_timestamp_ms": min(times, default=None),
        "last_timestamp_ms": max(times, default=None),
        "unreadable_bytes": sum(one.unreadable_bytes for one in decoded),
        "isolation": isolation(layouts),
        "has_segments": any(source.kind == "segment" for source in layouts),
        "has_offsets": not layouts or any("offset" not in source.lacks for source in layouts),
        "cannot_tell": cannot_tell(planned.files),
    }


def absent_offsets(per_partition: dict[str, dict[str, int]]) -> dict[str, Any]:
    """The members of `coverage` about missing offsets: of all partitions, and of each."""
    total = {name: sum(one[name] for one in per_partition.values()) for name in ("known", "unknown")}
    return {"absent_offsets": total, "absent_offsets_per_partition": per_partition}


def corrupt_batches(manifest: Manifest) -> int:
    """Batches that fail their checksum, of all files."""
    rows = ResultTables.open(manifest).rows("SELECT count(*) AS batches FROM batches WHERE NOT crc_ok")
    return int(rows[0]["batches"])


def isolation(layouts: list[Source]) -> str:
    """What a consumer of that isolation level would see; `unknown` where the tool that made the dump chose it."""
    return "unknown" if any("aborted" in source.lacks for source in layouts) else "read_uncommitted"


def cannot_tell(files: Sequence[Mapping[str, Any]]) -> list[str]:
    """What no file of the input tells, in words."""
    logs = [file["cannot_tell"] or () for file in files if file["kind"] in ("segment", "export")]
    return [words for words in LACKS.values() if logs and all(words in log for log in logs)]


def journals(
    planned: InspectionPlan, decoded: list[Decoded], origins: Mapping[str, Origin]
) -> list[dict[str, Any]]:
    """One journal per topic: its partitions that have records or lack their log (of an empty topic all of them), its
    dialect and, where the dialect can tell, the version family."""
    numbers: dict[str, set[int]] = defaultdict(set)
    for topic, partition, _ in replicas(decoded):
        numbers[topic].add(partition)
    for topic, partition in sorted(partitions_without_log(planned.files)):
        numbers[topic].add(partition)
    empty = {(row["topic"], row["partition"]) for row in planned.files if row["kind"] == "segment"}
    for topic, partition in sorted(one for one in empty if one[0] not in set(numbers)):
        numbers[topic].add(partition)
    whose = {
        topic: origins.get(topic) or Origin(dialects()[planned.dialect_of(topic)[0]]) for topic in numbers
    }
    return [
        {
            "topic": topic,
            "partitions": sorted(partitions),
            "dialect": whose[topic].dialect.id,
            "dialect_title": whose[topic].dialect.title,
            "is_replayed": whose[topic].dialect.replay is not None,
            "why": planned.dialect_of(topic)[1].why,
            "runner_up": runner_up(topic, planned),
            "profile": whose[topic].family,
        }
        for topic, partitions in sorted(numbers.items())
    ]


def runner_up(topic: str, planned: InspectionPlan) -> dict[str, str] | None:
    """The language that fitted next best, and why it was not taken; None for a topic that no sample showed."""
    if topic not in planned.runners_up:
        return None
    name, match = planned.runners_up[topic]
    return {"dialect": name, "title": dialects()[name].title, "why": match.why}
