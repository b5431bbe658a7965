"""What happens to a partition in its bytes, and what its records prove: by detector, where the kind of an effect says too little."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from webapp.reports.incidents.chips import Chip
from webapp.reports.report import ReportFinding

DISORDER = re.compile(r"contains (offsets? \S+ (?:twice|out of order))\b")  # title of `offset-order`
# What the titles of these detectors say of consumers.
CONSUMERS = re.compile(
    r"\b(never get offsets? .+|(?:fail (?:at|after)|skip) offsets? [\d-]+): (?:the log contains|\d+ record batch)"
)
FETCHES = re.compile(
    r"\bthat fetch at (offsets? [\d, or-]+) (\D.+?): (?:in|the log contains) "
)  # titles of `index-mismatch`, `offset-order`
COMMIT = "commit-out-of-range"
HAPPENS = {
    COMMIT: "skips or repeats records, or fails",  # its victims are groups
    "epoch-order": "intact records can be truncated",
    "index-mismatch": "fetches can fail or skip records",
    "misnamed-segment": "can skip records or get an error",
}
ROLES = {
    "epoch-order": ("higher epoch", "lower epoch"),
    "misnamed-segment": ("first offset", "name of the segment"),
}
EACH = {
    "crc-mismatch": "corrupt",
    "record-count-mismatch": "wrong record count",
}  # role of every batch that proves it
STILL_GET = "Consumers still get these offsets"  # explanation of `misnamed-segment`
TWICE = "Java clients get {} once, librdkafka clients can get them twice"
OF_DISORDER = ("read before", "read after")


def partition_effect(finding: ReportFinding) -> str:
    """`never get offsets 88-96`; empty where the kind of the effect says it."""
    if consumers := CONSUMERS.search(finding.title):
        return consumers[1]
    if fetches := FETCHES.search(finding.title):
        comma = "," if "," in fetches[2] else ""
        return f"{fetches[2]}{comma} when they fetch at {fetches[1]}"
    if disorder := DISORDER.search(finding.title):
        return (
            TWICE.format(disorder[1].removesuffix(" twice"))
            if disorder[1].endswith(" twice")
            else f"are served {disorder[1]}"
        )
    if STILL_GET in finding.explanation:
        return "still get these offsets"
    return by_check(finding)


def by_check(finding: ReportFinding) -> str:
    """What the finding's check says of its victims; empty where the kind of the effect says it."""
    if finding.detector == COMMIT and not finding.evidence:
        return "can skip or repeat records, or fail"  # the output of a tool shows one moment
    return HAPPENS.get(finding.detector, "")


def with_partition_roles(chips: Sequence[Chip], finding: ReportFinding) -> list[Chip]:
    """The records that prove it: each batch with its fault, the two ends of a disorder each with its side."""
    if role := EACH.get(finding.detector):
        return [replace(chip, role=chip.role or role) for chip in chips]
    roles = OF_DISORDER if DISORDER.search(finding.title) else ROLES.get(finding.detector, ())
    if len(chips) != len(roles) or [chip.offset for chip in chips] != finding.evidence[: len(roles)]:
        return list(chips)
    return [replace(chip, role=chip.role or role) for chip, role in zip(chips, roles, strict=True)]
