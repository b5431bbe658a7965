"""Typed report: marked texts become what is read, and beside them the member `typed`, which says what each value is.

    typed => {<member>: text or [text, ...]}     form of a text: spark/terms/typed_text.py; page: docs/report.md

No mark leaves this module: what is no text of the report (a key, an entity) is unmarked as it stands.
"""

from __future__ import annotations

from typing import Any

from spark.terms.marked import plain
from spark.terms.typed_text import actions, with_typed

Report = dict[str, Any]
TEXTS = {
    "verdict": ("sentence",),
    "journals": ("dialect_title", "why", "profile"),
    "runner_up": ("title", "why"),
    "compaction": ("sentence",),
    "coverage": ("cannot_tell",),
    "incidents": ("title",),
    "plan": ("step",),
    "findings": ("title", "explanation", "remedy"),
    "proof": ("shows",),
    "not_run": ("why",),
    "unrun_checks": ("does_not_apply", "better_data", "failed"),
}  # the member under which documents stand -> their texts


def typed_report(report: Report) -> Report:
    """The whole report, with `typed` where texts are, and each finding's `actions`."""
    whole = {name: typed_part(member, name) for name, member in report.items()}
    for finding in whole["findings"]:
        finding["actions"] = actions(finding["typed"].get("remedy", []))
    return whole


def typed_part(member: Any, name: str) -> Any:
    """`name`: of the member, or of the list that it is an item of."""
    if isinstance(member, str):
        return plain(member)
    if isinstance(member, list):
        return [typed_part(value, name) for value in member]
    if not isinstance(member, dict):
        return member
    texts = TEXTS.get(name, ())
    below = {
        inner_name: value if inner_name in texts else typed_part(value, inner_name)
        for inner_name, value in member.items()
    }
    return with_typed(below, *texts) if texts else below
