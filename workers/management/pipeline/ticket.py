"""Markdown: the text of "Copy for ticket", without a link and therefore with all steps."""

from __future__ import annotations

from typing import Any

from spark.terms.wording import plural
from webapp.reports.report import read_report
from webapp.reports.ticket import ticket_text
from workers.management.pipeline.counted import CountedFindings


def written(report: dict[str, Any], counted: CountedFindings) -> str:
    own = {finding["id"] for finding in report["findings"] if counted.counts(finding)}
    counting = report | {"findings": [finding for finding in report["findings"] if finding["id"] in own]}
    text = ticket_text(read_report(counting), "")
    left_out = len(report["findings"]) - len(own)
    uncounted = plural(left_out, "finding is", "findings are")
    return f"{text}\n{uncounted} ignored or in the baseline.\n" if left_out else text
