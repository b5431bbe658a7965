"""Takes the findings of an inspection into the queue: a new one makes a row, a known one is recognised.

What an inspection says (title, severity, presence) follows the newest inspection of the newest dump of the journal;
what people decided stays, but that a suppression ends when the finding changes. Everything here may be done twice.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from webapp.journals.models import Inspection, Journal
from webapp.reports.report import incident_titles, positions_of
from webapp.review import presence, suppressions
from webapp.review.models import Change, Finding, Intake, Sighting
from webapp.review.notices import notify_critical
from webapp.review.states import FindingState, rank

logger = logging.getLogger(__name__)

AT_ONCE = 500  # rows per statement
NEWS = timedelta(days=1)  # nobody is told of what an older inspection found
CAUGHT_UP_AT_ONCE = 50  # inspections per round of housekeeping
TEXTS = (
    "detector",
    "detector_version",
    "severity",
    "confidence",
    "title",
    "topic",
    "replica",
    "incident",
    "incident_title",
)
FACTS = ("partition", "first_offset", "last_offset", "position")


def ingest_findings_logged(inspection: Inspection) -> None:
    """The same for who has a report to keep: what goes wrong here is logged, and housekeeping tries once more."""
    try:
        ingest_findings(inspection)
    except (FileNotFoundError, Inspection.DoesNotExist):
        logger.warning(
            "The report of inspection %s no longer exists: its findings are not in the queue.", inspection.pk
        )
    except Exception:
        logger.exception("The findings of inspection %s could not be added to the queue.", inspection.pk)


@transaction.atomic
def ingest_findings(inspection: Inspection) -> None:
    """Rows for the findings of a finished inspection. The second time it changes nothing."""
    inspection = Inspection.objects.select_related("journal__project").get(pk=inspection.pk)
    journal = inspection.journal
    # one inspection of a journal at a time: the rows are the lock
    list(Journal.objects.select_for_update().filter(lineage=journal.lineage).order_by("pk").values_list("pk"))
    if Intake.objects.filter(inspection=inspection).exists():
        return
    document = json.loads((inspection.results / "report.json").read_text())
    reported = {row["id"]: row for row in reversed(document.get("findings", []))}
    titles, positions = incident_titles(document), positions_of(document)
    for row in reported.values():
        row["incident"] = row.get("incident") or row["id"]
        row["incident_title"] = titles.get(row["incident"], "")
        row["position"] = positions[row["id"]]
    Intake.objects.create(inspection=inspection)
    is_newest = presence.inspections_of(journal.lineage)[-1] == inspection.pk
    stored = _known(journal.lineage)
    worse = _renew([stored[id] for id in reported if id in stored], reported, inspection) if is_newest else []
    fresh = _create([row for id, row in reported.items() if id not in stored], reported, inspection)
    _see({**stored, **fresh}, reported, inspection)
    presence.settle(journal.lineage)
    if is_newest and timezone.now() - presence.seen_at(inspection) < NEWS:
        news = (*worse, *fresh.values())
        notify_critical([row for row in news if row.severity == "critical" and row.is_root], inspection)


def catch_up() -> int:
    """Take in finished inspections that were not: older than the queue, or their worker failed at it.

    What cannot be taken in is tried once by each process.
    """
    missed = Inspection.objects.filter(state=Inspection.State.DONE, intake=None).exclude(pk__in=_in_vain)
    chosen = list(missed.select_related("journal__project").order_by("created_at")[:CAUGHT_UP_AT_ONCE])
    for inspection in chosen:
        ingest_findings_logged(inspection)
    remaining = missed.filter(pk__in=[inspection.pk for inspection in chosen])
    _in_vain.update(remaining.values_list("pk", flat=True))
    return len(chosen)


_in_vain: set[UUID] = set()


def _known(lineage: UUID) -> dict[str, Finding]:
    """By fingerprint; locked in the order in which decisions lock them."""
    rows = Finding.objects.filter(lineage=lineage).select_related("project").order_by("pk")
    return {finding.fingerprint: finding for finding in rows.select_for_update(of=("self",))}


def _create(
    rows: Iterable[dict[str, Any]], reported: dict[str, Any], inspection: Inspection
) -> dict[str, Finding]:
    journal, seen_at = inspection.journal, presence.seen_at(inspection)
    now = timezone.now()
    findings = [
        Finding(
            lineage=journal.lineage,
            fingerprint=row["id"],
            project=journal.project,
            journal=journal,
            last_inspection=inspection,
            first_seen_at=seen_at,
            last_seen_at=seen_at,
            due_at=journal.project.due_at(row["severity"], now),
            **_facts(row, reported),
        )
        for row in rows
    ]
    Finding.objects.bulk_create(findings, batch_size=AT_ONCE)
    return {finding.fingerprint: finding for finding in findings}


def _renew(findings: list[Finding], reported: dict[str, Any], inspection: Inspection) -> list[Finding]:
    """What the newest inspection says of findings that have a row; ends suppressions of what changed.

    Those whose severity changed.
    """
    changes: list[Change] = []
    differ = []
    for finding in findings:
        severity = finding.severity
        facts = _facts(reported[finding.fingerprint], reported)
        if all(getattr(finding, name) == value for name, value in facts.items()):
            continue
        differ.append(finding)
        for name, value in facts.items():
            setattr(finding, name, value)
        if finding.severity != severity:
            changes.append(_severity_changed(finding, severity, inspection))
        if finding.state == FindingState.SUPPRESSED and finding.digest != finding.suppressed_digest:
            changes.append(
                suppressions.end(finding, "The finding has changed since it was suppressed.", inspection)
            )
    columns = ("key", "is_root", "rank", "evidence_count", "proof_offsets", *TEXTS, *FACTS)
    Finding.objects.bulk_update(differ, [*columns, *suppressions.COLUMNS], batch_size=AT_ONCE // 5)
    suppressions.keep(changes)
    return [change.finding for change in changes if change.what == Change.What.SEVERITY]


def _severity_changed(finding: Finding, before: str, inspection: Inspection) -> Change:
    finding.due_at = inspection.journal.project.due_at(finding.severity, timezone.now())
    return Change(
        finding=finding,
        what=Change.What.SEVERITY,
        before=before,
        after=finding.severity,
        inspection=inspection,
    )


def _see(findings: dict[str, Finding], reported: dict[str, Any], inspection: Inspection) -> None:
    Sighting.objects.bulk_create(
        [
            Sighting(
                finding=findings[id],
                inspection=inspection,
                severity=row["severity"],
                title=_text(row["title"]),
            )
            for id, row in reported.items()
        ],
        batch_size=AT_ONCE,
    )


def _facts(row: dict[str, Any], reported: dict[str, Any]) -> dict[str, Any]:
    """Columns that an inspection sets."""
    cause = row.get("consequence_of")
    return {
        **{name: row.get(name) for name in FACTS},
        **{name: _text(row.get(name) or "") for name in TEXTS},
        "key": None if row.get("key") is None else _text(row["key"]),
        "rank": rank(row["severity"]),
        "evidence_count": len(row.get("evidence") or ()),
        "proof_offsets": f" {' '.join(map(str, row.get('evidence') or ()))} ",
        "is_root": cause not in reported or cause == row["id"],
    }


def _text(text: Any) -> str:
    """Names come from damaged bytes: what no database stores becomes a mark."""
    return str(text).encode("utf-8", "replace").decode().replace("\0", "\N{SYMBOL FOR NULL}")
