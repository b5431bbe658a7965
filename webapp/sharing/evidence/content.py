"""Content of an evidence bundle, read once for HTML, PDF and JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils.safestring import SafeString, mark_safe

from spark.tables.replica import PartitionReplica
from spark.terms.installation import version
from webapp.reports.page import Page, opened_page
from webapp.reports.proof import Card, make_cards
from webapp.reports.report import Report
from webapp.sharing.evidence import strip
from webapp.sharing.evidence.proof import proof_records
from webapp.sharing.evidence.source import BundleOrigin
from webapp.sharing.exports.readme import words_of_options

CARDS = 200


@dataclass(frozen=True)
class Picture:
    """Strip of a partition."""

    replica: PartitionReplica
    strip: strip.RecordStrip
    svg: SafeString
    flags: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class BundleContent:
    """Report, findings with proof, strips, and the facts for about.json."""

    title: str
    slug: str
    made_at: datetime
    report: Report
    cards: list[Card]
    remarks: list[Card]
    extra: int  # findings that only report.json has
    pictures: list[Picture]
    proof: dict[str, Any]
    hidden: str
    is_part: bool
    inspected_at: str | None
    inspection: str | None
    snapshot: dict[str, Any] = field(
        default_factory=dict
    )  # of a link: versions of its rules and of the redaction

    @property
    def inputs(self) -> list[dict[str, Any]]:
        """Every input file with its hash."""
        return self.report.document.get("files", [])

    @property
    def inspected(self) -> str:
        """Time of the inspection, to the minute; empty if it is unknown."""
        return (self.inspected_at or "")[:16].replace("T", " ")

    @property
    def about(self) -> dict[str, Any]:
        """Content of about.json: what somebody needs to repeat the inspection."""
        document = self.report.document
        findings = document.get("findings", [])
        checks = {*document.get("clean", []), *(finding["detector"] for finding in findings)}
        checks |= {check["detector"] for check in document.get("not_run", [])}
        return {
            "title": self.title,
            "made_at": self.made_at.isoformat(timespec="seconds"),
            "journalscope": version(),
            "report_schema": document.get("schema"),
            "rules": document.get("rules") or [],
            "checks": sorted(name for name in checks if name),
            "inspection": self.inspection,
            "inspected_at": self.inspected_at,
            "layouts": sorted({file["layout"] for file in self.inputs if file.get("layout")}),
            "inputs": self.inputs,
            "hidden": self.hidden,
            "is_part_of_the_report": self.is_part,
            "coverage": self.report.coverage,
            **({"snapshot": self.snapshot} if self.snapshot else {}),
        }


def read_content(
    request: HttpRequest, origin: BundleOrigin, made_at: datetime, **facts: Any
) -> BundleContent:
    """From the tables of the origin. Who may have it was settled before."""
    with opened_page(request, origin.source) as page:
        causes, remarks = page.report.causes, page.report.remarks
        return BundleContent(
            title=page.title,
            slug=page.slug,
            made_at=made_at,
            report=page.report,
            cards=make_cards(page, causes[:CARDS]),
            remarks=make_cards(page, remarks[:CARDS]),
            extra=max(0, len(causes) - CARDS) + max(0, len(remarks) - CARDS),
            pictures=_pictures(page, origin),
            proof=proof_records(page.results, page.report, page.survey.replicas, origin.source.hidden),
            hidden=words_of_options(origin.options),
            is_part=origin.source.is_narrowed,
            **facts,
        )


def _pictures(page: Page, origin: BundleOrigin) -> list[Picture]:
    drawn = []
    for replica, replica_strip in origin.strips.items():
        flags = {
            finding.flag_offset: finding.severity
            for finding in reversed(page.report.causes)
            if finding.flag_offset is not None and finding.is_about(replica)
        }
        marks = tuple(sorted((offset, severity) for offset, severity in flags.items()))
        svg = mark_safe(strip.drawn(replica_strip, marks, replica.name))  # noqa: S308  numbers and a quoted name
        drawn.append(Picture(replica, replica_strip, svg, marks))
    return drawn
