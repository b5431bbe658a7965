"""The victims of findings, for headlines: a single one is named, several are counted.

A headline follows a verb or a noun of ours, so a lower-case name never begins a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural, since_day


def partitions_of(findings: Sequence[Finding]) -> str:
    """`moves-0`, `3 partitions`; `the partition` if the dump does not name its topic."""
    names = {(finding.topic, finding.partition) for finding in findings}
    if len(names) > 1:
        return plural(len(names), "partition")
    ((topic, partition),) = names
    if topic == marked.UNNAMED:
        return "the partition"
    return marked.topic(topic) if partition is None else marked.partition(topic, partition)


def stuck(findings: Sequence[Finding]) -> str:
    """`read_committed consumers are stuck at offset 60 of moves-0 since 2026-02-13`: the last stable offset stays."""
    consumers, victims = "read_committed consumers are stuck", partitions_of(findings)
    if len({(finding.topic, finding.partition) for finding in findings}) > 1:
        return f"{consumers} in {victims}"
    first = min(findings, key=lambda finding: finding.first_offset or 0)
    return (
        f"{consumers} at offset {marked.offset(first.first_offset)} of {victims}{since_day(first.since_ms)}"
    )
