"""An inspection as a step of a pipeline: which findings count, and reports in the forms that forges and CI servers read.

settings_file  journalscope.toml: options, ignored findings with reason and date
counted        findings of a report that count: neither ignored nor in the baseline, and severe enough
sarif, junit, annotations, ticket   one form each
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from workers.management.pipeline.counted import CountedFindings

FORMS = {
    "sarif": "sarif",
    "junit": "junit",
    "github": "annotations",
    "markdown": "ticket",
}


def written(name: str, report: dict[str, Any], counted: CountedFindings) -> str:
    """The report in a form of FORMS."""
    form: Callable[[dict[str, Any], CountedFindings], str] = import_module(
        f"{__name__}.{FORMS[name]}"
    ).written
    return form(report, counted)
