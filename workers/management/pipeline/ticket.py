"""Markdown: the text of "Copy for ticket", without a link."""

from __future__ import annotations

from typing import Any

from spark.terms.wording import plural
from webapp.reports.report import read_report
from webapp.reports.ticket import ticket_text
from workers.management.pipeline.counted import Counted


def written(report: dict[str, Any], counted: Counted) -> str:
    own = {finding["id"] for finding in report["findings"] if counted.counts(finding)}
    shown = report | {"findings": [finding for finding in report["findings"] if finding["id"] in own]}
    text = ticket_text(read_report(shown), "")
    left_out = len(report["findings"]) - len(own)
    said = plural(left_out, "finding is", "findings are")
    return f"{text}\n{said} ignored or in the baseline.\n" if left_out else text
