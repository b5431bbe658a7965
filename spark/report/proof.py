"""Proof: the member `proof` of findings, their evidence record by record with what each one shows.

    proof => [{offset, in_input, shows, typed}, ...]     in the order of `evidence`; page: docs/report.md

A finding about all replicas of a partition names none: its records are those of each replica, and where they show different
things, `shows` says it by replica.

Bounded: of a report with thousands of findings the worst ones have it, the others their offsets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from spark.report.typed_report import typed_part
from spark.tables.evidence import evidence_at, what_a_gap_shows, what_it_shows
from spark.tables.replica import REPLICA_COLUMNS, PartitionReplica, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked

MAX_OF_FINDING = 20
MAX_OF_REPORT = 2_000
OFFSETS = f'{REPLICA_COLUMNS}, "offset"'
EVIDENCE = """
(SELECT unnest($topics) AS topic, unnest($partitions) AS "partition", unnest($replicas) AS "replica",
        unnest($offsets) AS "offset")"""
GAPS = f"""
SELECT {OFFSETS}, any_value(gaps.proof) AS proof, any_value(gaps.cause) AS cause
FROM {EVIDENCE} JOIN gaps USING ({REPLICA_COLUMNS})
WHERE "offset" BETWEEN first_offset AND last_offset
GROUP BY ALL
"""
REPLICAS = f"SELECT DISTINCT {REPLICA_COLUMNS} FROM runs ORDER BY ALL"
RECORDS = evidence_at(f"({OFFSETS}) IN {EVIDENCE}")
Finding = dict[str, Any]
EvidenceOffset = tuple[str, int, str, int]  # topic, partition, replica, offset
Shown = tuple[bool, str]  # whether the input has a record at the offset, and what it shows


def with_proof(report: dict[str, Any], tables: ResultTables) -> dict[str, Any]:
    """The report with a `proof` in every finding; empty where no partition or no offsets are known."""
    by_partition: dict[tuple[str, int], list[PartitionReplica]] = {}
    for replica in map(replica_of, tables.rows(REPLICAS)):
        by_partition.setdefault(replica[:2], []).append(replica)
    chosen = [
        (finding, offsets, about(finding, by_partition) if offsets else [])
        for finding, offsets in chosen_evidence(report["findings"])
    ]
    shows = shown_at(
        tables,
        {(*replica, offset) for _, offsets, copies in chosen for replica in copies for offset in offsets},
    )
    findings = [
        {
            **finding,
            "proof": [
                proof_of(offset, *together({replica: shows[(*replica, offset)] for replica in copies}))
                for offset in offsets
            ],
        }
        for finding, offsets, copies in chosen
    ]
    return {**report, "findings": findings}


def about(
    finding: Finding, by_partition: Mapping[tuple[str, int], list[PartitionReplica]]
) -> list[PartitionReplica]:
    """The replica that a finding names; of one that names none all of its partition."""
    named = replica_of(finding)
    return [named] if named.replica else by_partition.get(named[:2], [named])


def together(by_replica: Mapping[PartitionReplica, Shown]) -> Shown:
    """What the records of several replicas at one offset show."""
    texts = list(dict.fromkeys(shows for _, shows in by_replica.values()))
    is_there = any(is_there for is_there, _ in by_replica.values())
    if len(texts) == 1:
        return is_there, texts[0]
    each = (
        f"Replica {marked.replica(replica.replica)}: {shows}" for replica, (_, shows) in by_replica.items()
    )
    return is_there, ". ".join(each)


def chosen_evidence(findings: Sequence[Finding]) -> Iterator[tuple[Finding, list[int]]]:
    """Each finding with the offsets that are shown; the worst come first in a report."""
    room = MAX_OF_REPORT
    for finding in findings:
        has_partition = finding["topic"] and finding["partition"] is not None
        offsets = finding["evidence"][: min(MAX_OF_FINDING, room)] if has_partition else []
        room -= len(offsets)
        yield finding, offsets


def shown_at(tables: ResultTables, evidence: Collection[EvidenceOffset]) -> Mapping[EvidenceOffset, Shown]:
    """For each offset what its record shows, or why there is none."""
    if not evidence:
        return {}
    columns = map(list, zip(*evidence, strict=True))
    values = dict(zip(("topics", "partitions", "replicas", "offsets"), columns, strict=True))
    gaps = {(*replica_of(row), row["offset"]): row for row in tables.rows(GAPS, values)}
    absent = {position: (False, what_a_gap_shows(gaps.get(position), position[2])) for position in evidence}
    present = {
        (*replica_of(row), row["offset"]): (True, what_it_shows(row)) for row in tables.rows(RECORDS, values)
    }
    return {**absent, **present}


def proof_of(offset: int, is_there: bool, shows: str) -> dict[str, Any]:
    document: dict[str, Any] = typed_part({"offset": offset, "in_input": is_there, "shows": shows}, "proof")
    return document
