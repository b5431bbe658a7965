"""Proof: the member `proof` of findings, their evidence record by record with what each one shows.

    proof => [{offset, in_input, shows, typed}, ...]     in the order of `evidence`; page: docs/report.md

Bounded: of a report with thousands of findings the worst ones have it, the others their offsets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spark.report.typed_report import typed_part
from spark.tables.evidence import EVIDENCE, OF_REPLICA, what_a_gap_shows, what_it_shows
from spark.tables.replica import PartitionReplica, replica_of
from spark.tables.store import ResultTables

MAX_OF_FINDING = 20
MAX_OF_REPORT = 2_000
GAPS = f"""
SELECT offsets."offset", any_value(gaps.proof) AS proof, any_value(gaps.cause) AS cause
FROM (SELECT unnest($offsets) AS "offset") AS offsets
JOIN (SELECT * FROM gaps WHERE {OF_REPLICA}) AS gaps ON offsets."offset" BETWEEN first_offset AND last_offset
GROUP BY ALL
"""
Finding = dict[str, Any]
Shown = tuple[bool, str]  # whether the input has a record at the offset, and what it shows


def with_proof(report: dict[str, Any], tables: ResultTables) -> dict[str, Any]:
    """The report with a `proof` in every finding; empty where no partition or no offsets are known."""
    chosen = list(chosen_evidence(report["findings"]))
    evidence: dict[PartitionReplica, set[int]] = defaultdict(set)
    for finding, offsets in chosen:
        evidence[replica_of(finding)].update(offsets)
    shown = {
        replica: shown_at(tables, replica, sorted(offsets))
        for replica, offsets in evidence.items()
        if offsets
    }
    findings = [
        {**finding, "proof": [proof_of(offset, *shown[replica_of(finding)][offset]) for offset in offsets]}
        for finding, offsets in chosen
    ]
    return {**report, "findings": findings}


def chosen_evidence(findings: Sequence[Finding]) -> Iterator[tuple[Finding, list[int]]]:
    """Each finding with the offsets that are shown; the worst come first in a report."""
    left = MAX_OF_REPORT
    for finding in findings:
        has_partition = finding["topic"] and finding["partition"] is not None
        offsets = finding["evidence"][: min(MAX_OF_FINDING, left)] if has_partition else []
        left -= len(offsets)
        yield finding, offsets


def shown_at(tables: ResultTables, replica: PartitionReplica, offsets: Sequence[int]) -> Mapping[int, Shown]:
    """By offset."""
    topic, partition, copy = replica
    values = {"topic": topic, "partition": partition, "replica": copy, "offsets": list(offsets)}
    gaps = {row["offset"]: row for row in tables.rows(GAPS, values)}
    absent = {offset: (False, what_a_gap_shows(gaps.get(offset))) for offset in offsets}
    there = {row["offset"]: (True, what_it_shows(row)) for row in tables.rows(EVIDENCE, values)}
    return {**absent, **there}


def proof_of(offset: int, is_there: bool, shows: str) -> dict[str, Any]:
    """One record."""
    document: dict[str, Any] = typed_part({"offset": offset, "in_input": is_there, "shows": shows}, "proof")
    return document
