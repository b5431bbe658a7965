"""Coverage: what of the input was read, by partition, and what its layouts could not tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from spark.dialects import Match, dialects
from spark.inspection import Inspection
from spark.log.gaps import ABSENT, absent, unexplained
from spark.report.bare_prints import LAYOUT as BARE_PRINT
from spark.report.bare_prints import bare_prints
from spark.report.capture_coverage import captured
from spark.report.compaction_policy import with_compaction
from spark.report.copies import Copies, counted_once
from spark.report.copy_counts import checked_batches, copy_counts
from spark.report.log_bounds import log_bounds
from spark.report.printed import printed, without_journal
from spark.sources import LACKS, Source, sources
from spark.stages.decode import Counts
from spark.stages.journal_owner import Origin
from spark.stages.plan import InspectionPlan, partitions_without_log
from spark.stages.prints.numbered import numbered_replicas
from spark.tables import Manifest
from spark.tables.replica import PartitionReplica
from spark.tables.store import ResultTables


def coverage(inspection: Inspection, copies: Copies) -> dict[str, Any]:
    """The report's `coverage`, with a few members more for the pages."""
    manifest, files = inspection.manifest, inspection.plan.files
    return {
        **counted(inspection, copies, numbered_replicas(ResultTables.open(manifest))),
        "unexplained_offsets_per_partition": unexplained(manifest),
        "corrupt_batches": corrupt_batches(manifest),
        **checked_batches(ResultTables.open(manifest)),
        **copy_counts(inspection, copies, ResultTables.open(manifest)),
        **absent_offsets(manifest),
        **log_bounds(manifest),
        "capture": [*captured(manifest), *printed(manifest, files)],
        "printed": bare_prints(ResultTables.open(manifest))
        if BARE_PRINT in inspection.layouts
        else without_journal(files),
    }


def counted(
    inspection: Inspection, copies: Copies, numbered: Collection[PartitionReplica] = ()
) -> dict[str, Any]:
    """The members that need no table, only the plan and the counts of the decode stage. Records of several copies count once;
    `numbered` are copies without offsets."""
    layouts = [sources()[name] for name in sorted(inspection.layouts)]
    partitions = counts_by_partition(inspection)
    unique = {name: counted_once(counts, copies) for name, counts in partitions.items()}
    every = [counts for group in unique.values() for counts in group]
    with_offsets = {
        name: [counts for counts in group if counts.replica not in numbered]
        for name, group in partitions.items()
    }
    times = [
        time
        for counts in inspection.counts
        for time in (counts.first_timestamp_ms, counts.last_timestamp_ms)
        if time is not None and time >= 0
    ]
    return {
        "records": sum(counts.data_records for counts in every),
        "records_per_partition": {
            name: sum(counts.data_records for counts in group) for name, group in unique.items()
        },
        "offsets_per_partition": {
            name: [
                min(counts.first_offset for counts in group),
                max(counts.last_offset for counts in group),
            ]
            for name, group in with_offsets.items()
            if group
        },
        "control_records": sum(counts.control_records for counts in every),
        "tombstones": sum(counts.tombstones for counts in every),
        "restarts": sum(counts.restarts for counts in every),
        "first_timestamp_ms": min(times, default=None),
        "last_timestamp_ms": max(times, default=None),
        "unreadable_bytes": sum(decoded.unreadable_bytes for decoded in inspection.decoded.values()),
        "isolation": isolation(layouts),
        "has_segments": any(source.kind == "segment" for source in layouts),
        "has_checksums": LACKS["batches"] not in cannot_tell(inspection.plan.files),
        "has_offsets": any("offset" not in source.lacks for source in layouts)
        and (not numbered or any(with_offsets.values())),
        "cannot_tell": cannot_tell(inspection.plan.files),
    }


def counts_by_partition(inspection: Inspection) -> dict[str, list[Counts]]:
    """Counts of all copies of a partition under the name `<topic>-<partition>`; none for one whose log is empty or missing."""
    files = inspection.plan.files
    partitions: dict[str, list[Counts]] = defaultdict(list)
    for topic, partition in partitions_without_log(files):
        partitions[f"{topic}-{partition}"] = []
    for row in files:
        if row["kind"] == "segment":
            partitions[f"{row['topic']}-{row['partition']}"] = []
    for counts in inspection.counts:
        partitions[f"{counts.replica.topic}-{counts.replica.partition}"].append(counts)
    return dict(sorted(partitions.items()))


def absent_offsets(manifest: Manifest) -> dict[str, Any]:
    """The members of `coverage` about missing offsets: of all partitions, and of each."""
    per_partition = absent(manifest)
    total = {name: sum(counts[name] for counts in per_partition.values()) for name in ABSENT}
    return {"absent_offsets": total, "absent_offsets_per_partition": per_partition}


def corrupt_batches(manifest: Manifest) -> int:
    """Batches that fail their checksum, of all files."""
    rows = ResultTables.open(manifest).rows("SELECT count(*) AS batches FROM batches WHERE NOT crc_ok")
    return int(rows[0]["batches"])


def isolation(layouts: Sequence[Source]) -> str:
    """The isolation level of a consumer that would get the same records; `unknown` where the tool that made the dump chose it."""
    return "unknown" if any("aborted" in source.lacks for source in layouts) else "read_uncommitted"


def cannot_tell(files: Sequence[Mapping[str, Any]]) -> list[str]:
    """What no file of the input tells, in words."""
    logs = [file["cannot_tell"] or () for file in files if file["kind"] in ("segment", "export")]
    return [words for words in LACKS.values() if logs and all(words in log for log in logs)]


def journals(inspection: Inspection) -> list[dict[str, Any]]:
    """One journal per topic: its partitions that have records or lack their log (of an empty topic all of them), its
    dialect, whether it is compacted and, where the dialect can tell, the version family."""
    plan = inspection.plan
    partitions: dict[str, set[int]] = defaultdict(set)
    for replica in inspection.replicas:
        partitions[replica.topic].add(replica.partition)
    for topic, partition in sorted(partitions_without_log(plan.files)):
        partitions[topic].add(partition)
    read_topics = set(partitions)
    for row in plan.files:
        if row["kind"] == "segment" and row["topic"] not in read_topics:
            partitions[row["topic"]].add(row["partition"])
    rows = []
    for topic in sorted(partitions):
        dialect_id, match = plan.dialect_of(topic)
        origin = inspection.origins.get(topic) or Origin(dialects()[dialect_id])
        rows.append(
            {
                "topic": topic,
                "partitions": sorted(partitions[topic]),
                "dialect": origin.dialect.id,
                "dialect_title": origin.dialect.title,
                "is_replayed": origin.dialect.replay is not None,
                "why": match.why,
                "runner_up": runner_up(topic, plan),
                "profile": origin.family,
            }
        )
    return with_compaction(rows, inspection.manifest)


def runner_up(topic: str, plan: InspectionPlan) -> dict[str, str] | None:
    """The dialect that fitted next best, and why it was not taken; None where none fitted, or no sample showed the topic."""
    dialect_id, match = plan.runners_up.get(topic, ("", Match(0, "")))
    if not match.score:
        return None
    return {"dialect": dialect_id, "title": dialects()[dialect_id].title, "why": match.why}
