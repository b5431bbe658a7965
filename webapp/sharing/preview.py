"""Preview of a share: its first incident as the Overview of the link shows it, or a few records; made by the functions that make the share."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from django.http import HttpRequest

from spark.redaction import Options, Selection
from spark.redaction.process import PREVIEW_SECONDS, redact_apart
from spark.redaction.report import shared_id
from spark.redaction.selection import BY_RECORD, KEPT
from spark.tables.replica import PartitionReplica, replica_of
from webapp.journals.disk.scratch import scratch_folder
from webapp.journals.models import Inspection
from webapp.reports.card_context import context_of_cards
from webapp.reports.incident_cards import IncidentCard, incident_cards
from webapp.reports.incidents.victim_words import is_stop
from webapp.reports.incidents.victims import behind_of
from webapp.reports.page import opened_page
from webapp.reports.pages import report_addresses
from webapp.reports.pages.record import record
from webapp.reports.proof import Card, make_cards
from webapp.reports.repair.plan import known_results
from webapp.reports.report import ReportFinding, read_report
from webapp.reports.results import Results, open_results
from webapp.reports.source import ReportSource
from webapp.sharing.scopes import Scope, hidden_parts, is_masked
from webapp.sharing.selecting import records_table, replica_with, selection_of

RECORDS_SHOWN = 3  # where no incident has proof
WITH_OVERVIEW = ("report", "incident", "finding")  # scopes whose link begins with an incident
PROOF_READ = 500  # records of an incident: more would make a preview slow
FIRST = 'SELECT DISTINCT topic, "partition", replica, "offset" FROM lifelines ORDER BY ALL LIMIT $most'


class Nowhere(ReportSource):
    """A report whose links lead nowhere: the preview is deleted after it is rendered."""

    def address(self, name: str, args: tuple[Any, ...]) -> str:
        """`#preview` for each page that a share has."""
        page = report_addresses().get(name)
        return "#preview" if page and page.shared else ""


@dataclass(frozen=True)
class Preview:
    """Parts of pages. `incidents`: the first one, or none; `cards` without it. `record`: HTML. `context`: the page's frame."""

    context: dict[str, Any]
    incidents: list[IncidentCard]
    cards: list[Card]
    record: str
    more: int  # incidents of the link beside the first


def preview(
    request: HttpRequest, inspection: Inspection, scope: Scope, options: dict[str, Any]
) -> Preview | None:
    """The redacted sample; None if the scope contains nothing. Raises TooLong."""
    with open_results(inspection.results) as opened:
        sample, report = sample_of(scope, opened), read_report(opened.document)
        trials = known_results(inspection, report)
        more = report.more_incidents if scope.what == "report" else 0
        behind = _behind(opened, sample) if sample and scope.what == "report" else {}
    if sample is None:
        return None
    salt = secrets.token_bytes(32)
    with scratch_folder("preview") as folder:
        redact_apart(
            inspection.results,
            folder,
            Options.from_share(options, salt),
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
            trials={shared_id(salt, name) or "": result for name, result in trials.items()},
            behind={shared_id(salt, name) or "": number for name, number in behind.items()},
        )
        rendered = _rendered(request, source, has_overview=scope.what in WITH_OVERVIEW)
        return replace(rendered, more=more if rendered.incidents else 0)


def sample_of(scope: Scope, results: Results) -> Selection | None:
    """One incident with its proof, or a few records of the scope."""
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
    chosen = _with_incident(proven or next(iter(findings), None), findings)
    is_of_records = scope.what not in WITH_OVERVIEW
    if is_of_records and whole.records is not None and whole.records.num_rows:
        records = whole.records.slice(0, RECORDS_SHOWN)
    elif proven:
        records = _proof(chosen, results).slice(0, RECORDS_SHOWN if is_of_records else PROOF_READ)
    else:
        first = results.rows(FIRST, {"most": RECORDS_SHOWN})
        records = KEPT.empty_table() if not first else records_table(_by_replica(first))
    replicas = {tuple(row[name] for name in KEPT.names[:3]) for row in records.to_pylist()}
    return replace(
        whole,
        replicas=tuple(sorted(replicas)),
        records=records,
        tables=BY_RECORD | {"state"},
        findings=frozenset(finding.id for finding in chosen),
    )


def _with_incident(first: ReportFinding | None, findings: Iterable[ReportFinding]) -> list[ReportFinding]:
    """The finding, those of its incident, and what followed from them: the victims have findings of their own."""
    if first is None:
        return []
    causes = [
        finding
        for finding in findings
        if finding is first or (first.incident and finding.incident == first.incident)
    ]
    return [finding for cause in causes for finding in (cause, *cause.all_consequences())]


def _proof(findings: Iterable[ReportFinding], results: Results) -> pa.Table:
    """The records that prove them."""
    offsets: dict[PartitionReplica, set[int]] = {}
    for finding in findings:
        if finding.evidence and (replica := replica_with(finding, results)):
            offsets.setdefault(replica, set()).update(finding.evidence)
    return records_table(offsets)


def _behind(results: Results, sample: Selection) -> dict[str, int]:
    """By finding of the sample: what comes behind its stop, as the share of the whole report says it."""
    report = read_report(results.document)
    incidents = results.document.get("incidents", [])
    victims = (row for incident in incidents for row in incident.get("victims") or [])
    stops = {row["finding"]: row for row in victims if is_stop(row)}
    behind: dict[str, int | None] = {}
    for finding in report.findings:
        replica = replica_with(finding, results)
        is_shown = finding.id in (sample.findings or ()) and finding.id in stops
        if is_shown and finding.first_offset is not None and replica:
            behind[finding.id] = behind_of(results.of(replica), stops[finding.id], finding)
    return {name: number for name, number in behind.items() if number is not None}


def _by_replica(rows: list[dict[str, Any]]) -> dict[PartitionReplica, set[int]]:
    offsets: dict[PartitionReplica, set[int]] = {}
    for row in rows:
        offsets.setdefault(replica_of(row), set()).add(row["offset"])
    return offsets


def _rendered(request: HttpRequest, source: ReportSource, has_overview: bool) -> Preview:
    as_reader = HttpRequest()
    as_reader.META = {**request.META, "HTTP_HX_REQUEST": "true"}
    as_reader.method, as_reader.user = "GET", request.user
    with opened_page(as_reader, source) as page:
        causes = page.report.causes
        incidents = incident_cards(page, causes, None)[0][:1] if has_overview else []
        cards = [] if incidents else make_cards(page, causes[:1] or page.report.findings[:1])
        first, last = page.bounds
        record_html = record.bare(page, first).content.decode() if first <= last else ""  # type: ignore[attr-defined]
        context = page.frame() | context_of_cards(None, request.user, causes)
        return Preview(context, incidents, cards, record_html, 0)
