"""Comparisons with differences of state, and inspections whose results have a state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.utils import timezone

from tests.builders import other_table, records_table
from tests.webapp.reports.result_folder import report_document, write_results
from webapp.journals.models import Comparison

RESULT: dict[str, Any] = {
    "schema": 1, "left": "monday", "right": "tuesday", "equal": False, "sentence": "", "only_left": [], "only_right": [],
    "partitions": [{
        "topic": "journal", "partition": 0, "sentence": "", "record_sentence": "Before and After contain different records.",
        "counts": {"equal": 2, "different": 1, "damaged": 0, "left": 0, "right": 5}, "examples": [], "ranges_left_out": 0,
        "ranges": [
            {"kind": "equal", "first_offset": 0, "last_offset": 1, "records": 2},
            {"kind": "different", "first_offset": 2, "last_offset": 2, "records": 1},
            {"kind": "right", "first_offset": 10, "last_offset": 14, "records": 5},
        ],
    }],
}  # fmt: skip


def state(
    entity_type: str, name: str, offset: int, ended: int | None = None, **members: Any
) -> dict[str, Any]:
    """A row of `state` by the service that the journal belongs to."""
    return {
        "entity_type": entity_type, "entity_id": name, "attributes": json.dumps(members), "origin_offset": offset,
        "valid_from_offset": offset, "valid_to_offset": ended, "is_own": True, "view": "log", "profile": "",
    }  # fmt: skip


def with_state(*rows: dict[str, Any], incidents: tuple[dict[str, Any], ...] = ()) -> Any:
    """Results with this state, and a report with these incidents."""

    def make(folder: Path) -> Path:
        report = report_document() | {"incidents": list(incidents)}
        table = other_table("state", *rows, topic="journal", partition=0, replica="")
        return write_results(folder, report, records=records_table({"offset": 0}), state=table)

    return make


def noted(shown: list[dict[str, Any]], **counts: int) -> dict[str, Any]:
    """A result with differences of state; the log of the left side ends first."""
    of_kinds = dict.fromkeys(("lost", "reappeared", "changed", "deleted", "new", "same"), 0) | counts
    copy = {"topic": "journal", "partition": 0, "replica": "", "first_offset": 0, "records": 5}
    entities = {
        "before": "left",
        "counts": of_kinds,
        "shown": shown,
        "sentence": "Between these dumps content 4 was lost.",
    }
    return RESULT | {"partitions": [RESULT["partitions"][0] | {
        "left": copy | {"label": "monday", "last_offset": 9}, "right": copy | {"label": "tuesday", "last_offset": 20}, "entities": entities,
    }]}  # fmt: skip


def difference(
    kind: str, name: str, before_offset: int | None, after_offset: int | None, **members: Any
) -> dict[str, Any]:
    """An entity as the document lists it."""
    return {
        "kind": kind, "entity_type": "content", "entity_id": name, "before_offset": before_offset, "after_offset": after_offset,
        "before": None, "after": None, **members,
    }  # fmt: skip


def page_of(left: Any, right: Any, result: dict[str, Any], get: Any, **query: Any) -> str:
    """The comparison's page in one line."""
    Comparison.objects.create(
        left=left, right=right, state="done", result=result, requested_at=timezone.now()
    )
    return " ".join(get(left, "report-comparison", right.pk, **query).content.decode().split())
