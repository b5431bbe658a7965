"""Findings about logs and dumps, not about what their entries say: at the segment or file of their offsets, else at the partition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from spark.tables.replica import PartitionReplica
from webapp.catalogue.pages import pages
from webapp.reports.report import Report, ReportFinding

IN_FILES = re.compile(
    r"log (segments|folders)|^dumps$"
)  # in which inputs the checks look that are about files


def log_findings(report: Report, replica: PartitionReplica | None = None) -> list[ReportFinding]:
    """Of all partitions or of one, the worst first; no notes."""
    about = {check.name for check in pages("detectors") if IN_FILES.search(check.found_in)}
    findings = [each for each in report.findings if each.detector in about and each.severity != "info"]
    if replica is not None:
        findings = [each for each in findings if each.is_about(replica)]
    return sorted(findings, key=lambda finding: finding.rank)


def lies_in(finding: ReportFinding, stretches: Iterable[Mapping[str, Any]]) -> bool:
    """Whether one of its offsets is in one of these stretches; a stretch without offsets contains none."""
    first = finding.first_offset
    return first is not None and any(
        row["first_offset"] <= (finding.last_offset or first) and first <= row["last_offset"]
        for row in stretches
        if row.get("first_offset") is not None and row.get("last_offset") is not None
    )


def beside_damage(findings: Iterable[ReportFinding], damaged: list[dict[str, Any]]) -> list[ReportFinding]:
    """Those that the damaged ranges do not tell already, one of each check."""
    others = {each.detector: each for each in findings if not lies_in(each, damaged)}
    return list(others.values())
