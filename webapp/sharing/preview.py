"""Preview of a share: one finding and a few records, made by the functions that make the share."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest

from spark.redaction import Options, Selection
from spark.redaction.process import PREVIEW_SECONDS, redact_apart
from spark.redaction.selection import BY_RECORD, KEPT
from spark.storage.stored_path import ResultPath
from spark.tables.replica import PartitionReplica, replica_of
from webapp.journals.disk.scratch import scratch_folder
from webapp.reports.page import opened_page
from webapp.reports.pages import report_addresses
from webapp.reports.pages.record import record
from webapp.reports.proof import Card, make_cards
from webapp.reports.report import ReportFinding, read_report
from webapp.reports.results import Results, open_results
from webapp.reports.source import ReportSource
from webapp.sharing.scopes import Scope, hidden_parts, is_masked
from webapp.sharing.selecting import records_table, replica_with, selection_of

RECORDS_SHOWN = 3
FIRST = 'SELECT DISTINCT topic, "partition", replica, "offset" FROM lifelines ORDER BY ALL LIMIT $most'


class Nowhere(ReportSource):
    """A report whose links lead nowhere: the preview is deleted after it is rendered."""

    def address(self, name: str, args: tuple[Any, ...]) -> str:
        """`#preview` for each page that a share has."""
        page = report_addresses().get(name)
        return "#preview" if page and page.shared else ""


@dataclass(frozen=True)
class Preview:
    """Rendered parts of pages. `record`: HTML. `context`: the page's frame."""

    context: dict[str, Any]
    cards: list[Card]
    record: str


def preview(
    request: HttpRequest, results: ResultPath, scope: Scope, options: dict[str, Any]
) -> Preview | None:
    """The redacted sample; None if the scope contains nothing. Raises TooLong."""
    with open_results(results) as opened:
        sample = sample_of(scope, opened)
    if sample is None:
        return None
    with scratch_folder("preview") as folder:
        redact_apart(
            results,
            folder,
            Options.from_share(options, secrets.token_bytes(32)),
            sample,
            PREVIEW_SECONDS,
        )
        source = Nowhere(
            "Preview",
            folder,
            (),
            is_narrowed=True,
            hidden=hidden_parts(options),
            decodes=not is_masked(options),
        )
        return _rendered(request, source)


def sample_of(scope: Scope, results: Results) -> Selection | None:
    """One finding and a few records of the scope."""
    whole = selection_of(scope, results)
    if whole is None:
        return None
    report = read_report(results.document)
    findings = [
        finding
        for finding in [*report.causes, *report.remarks]
        if whole.findings is None or finding.id in whole.findings
    ]
    proven = next((finding for finding in findings if finding.evidence), None)
    if whole.records is not None and whole.records.num_rows:
        records = whole.records.slice(0, RECORDS_SHOWN)
    elif proven and (replica := replica_with(proven, results)):
        records = records_table({replica: set(proven.evidence[:RECORDS_SHOWN])})
    else:
        first = results.rows(FIRST, {"most": RECORDS_SHOWN})
        records = KEPT.empty_table() if not first else records_table(_by_replica(first))
    replicas = {tuple(row[name] for name in KEPT.names[:3]) for row in records.to_pylist()}
    return replace(
        whole,
        replicas=tuple(sorted(replicas)),
        records=records,
        tables=BY_RECORD,
        findings=frozenset(
            finding.id for finding in _with_incident(proven or next(iter(findings), None), findings)
        ),
    )


def _with_incident(first: ReportFinding | None, findings: Iterable[ReportFinding]) -> list[ReportFinding]:
    """The finding and those of its incident, whose headline the preview begins with."""
    if first is None:
        return []
    return [
        finding
        for finding in findings
        if finding is first or (first.incident and finding.incident == first.incident)
    ]


def _by_replica(rows: list[dict[str, Any]]) -> dict[PartitionReplica, set[int]]:
    offsets: dict[PartitionReplica, set[int]] = {}
    for row in rows:
        offsets.setdefault(replica_of(row), set()).add(row["offset"])
    return offsets


def _rendered(request: HttpRequest, source: ReportSource) -> Preview:
    as_reader = HttpRequest()
    as_reader.META = {**request.META, "HTTP_HX_REQUEST": "true"}
    as_reader.method, as_reader.user = "GET", request.user
    with opened_page(as_reader, source) as page:
        cards = make_cards(page, page.report.causes[:1] or page.report.findings[:1])
        first, last = page.bounds
        record_html = record.bare(page, first).content.decode() if first <= last else ""  # type: ignore[attr-defined]
        return Preview(page.frame(), cards, record_html)
