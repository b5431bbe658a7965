"""One share from the queue to its tables."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from spark.redaction import VERSION, Options, names_of
from spark.redaction.masking.patterns import Unusable
from spark.redaction.process import TooLong
from spark.redaction.process import redact_apart as redact
from spark.redaction.report import shared_id
from webapp.reports.queries.partitions import survey
from webapp.reports.repair.plan import known_results
from webapp.reports.report import read_report
from webapp.reports.results import ResultsGone, open_results
from webapp.sharing.models import Share
from webapp.sharing.scopes import Scope, first_page
from webapp.sharing.selecting import selection_of
from workers.jobs.runner import Attempt, JobFailed, JobKind

GONE = "The results of this inspection no longer exist. Inspect the journal again, then share the new report."
NOTHING = (
    "This key, record or finding is no longer in the report. Go back to the report and share from there."
)
UNUSABLE = "A pattern of this link's masks cannot be used: {reason}. Correct the pattern, then share again."


class ShareJob(JobKind):
    """Tables of its own for a link. Who revokes the link takes the job away: the row is not wanted any more."""

    name = "share"
    related = ("inspection",)
    expected = (JobFailed, TooLong)

    def execute(self, attempt: Attempt) -> dict[str, Any]:
        """The tables in their folder; what the link is pinned to for the row."""
        try:
            return {"pinned": make(attempt.job, attempt.folder.partial)}
        except (ResultsGone, FileNotFoundError) as problem:
            raise JobFailed(GONE) from problem
        except Unusable as reason:
            raise JobFailed(UNUSABLE.format(reason=reason)) from reason


KIND = ShareJob()


def make(share: Share, folder: Path) -> dict[str, Any]:
    """Write the share's tables; what the share is pinned to."""
    if share.inspection is None:
        raise ResultsGone(str(share.pk))
    source = share.inspection.results
    options = Options.from_share(share.options, bytes(share.salt))
    scope = Scope.read(share.scope)
    with open_results(source) as results:
        selection = selection_of(scope, results)
        several = len(survey(results).facts) > 1
        whole = results.document
    if selection is None:
        raise JobFailed(NOTHING)
    redact(source, folder, options, selection)
    trials = {
        shared_id(options.salt, finding_id): result
        for finding_id, result in known_results(share.inspection, read_report(whole)).items()
    }
    start = first_page(scope, options, names_of(source, options), several)
    return _pinned(share, whole) | {"start": start, "trials": trials}


def _pinned(share: Share, whole: dict[str, Any]) -> dict[str, Any]:
    """What the link will show for as long as it lives: this input, these rules, this redaction."""
    checks = sorted(
        {
            *whole.get("clean", []),
            *(row["detector"] for row in whole.get("not_run", [])),
            *(row["detector"] for row in whole.get("findings", [])),
        }
    )
    versions = sorted(
        {(row["detector"], row.get("detector_version") or 1) for row in whole.get("findings", [])}
    )
    rules = [checks, versions, whole.get("rules", [])]
    inspected = share.inspection and share.inspection.finished_at
    return {
        "files": [file.get("sha256") for file in whole.get("files", []) if file.get("sha256")],
        "schema": whole.get("schema"),
        "rules": hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()[:12],
        "checks": len(checks),
        "redaction": VERSION,
        "inspected_at": inspected.isoformat() if inspected else None,
    }
