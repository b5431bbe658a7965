"""What a reader will see: a finding and a record of the report, through the very functions that make the share."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest

from spark.redaction import Options, Selection
from spark.redaction.process import PREVIEW_SECONDS, redact_apart
from spark.redaction.selection import BY_RECORD, KEPT
from spark.storage.stored_path import ResultPath
from spark.tables.replica import PartitionReplica, replica_of
from webapp.journals.disk.scratch import scratch_folder
from webapp.reports.proof import Card, make_cards
from webapp.reports.report import read_report
from webapp.reports.results import Results, open_results
from webapp.reports.source import ReportSource
from webapp.reports.views.page import opened_page
from webapp.reports.views.record import record
from webapp.sharing.scopes import SHARED, Scope, hidden_parts, is_masked
from webapp.sharing.selecting import records_table, replica_with, selection_of

RECORDS_SHOWN = 3
FIRST = 'SELECT DISTINCT topic, "partition", replica, "offset" FROM lifelines ORDER BY ALL LIMIT $most'


class Nowhere(ReportSource):
    """A report whose links lead nowhere: it is gone when it has been looked at."""

    def address(self, name: str, args: tuple[Any, ...]) -> str:
        """The preview itself; nothing for what a share does not offer."""
        return "#preview" if name in SHARED else ""


@dataclass(frozen=True)
class Preview:
    """Parts of pages, rendered. `record` is HTML; `context` is that of the page."""

    context: dict[str, Any]
    cards: list[Card]
    record: str


def preview(
    request: HttpRequest, results: ResultPath, scope: Scope, options: dict[str, Any]
) -> Preview | None:
    """The sample, redacted; None when the scope selects nothing. Raises TooLong."""
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
    """A finding and a few records of what the scope selects."""
    whole = selection_of(scope, results)
    if whole is None:
        return None
    report = read_report(results.document)
    findings = [
        one for one in [*report.causes, *report.remarks] if whole.findings is None or one.id in whole.findings
    ]
    proven = next((one for one in findings if one.evidence), None)
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
        replicas=tuple(sorted(replicas)),  # type: ignore[arg-type]
        records=records,
        tables=BY_RECORD,
        findings=frozenset(one.id for one in [proven or next(iter(findings), None)] if one),
    )


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
        cards = make_cards(page, page.report.findings)
        first, last = page.bounds
        shown = record.bare(page, first).content.decode() if first <= last else ""  # type: ignore[attr-defined]
        return Preview(page.frame(), cards, shown)
