"""The job log of an inspection: its stages with times, notes and what was read, while it runs and after."""

from __future__ import annotations

from typing import Any

from django.db.models import Sum

from spark.terms.remaining import remaining_seconds, share_read
from webapp.jobs import lifecycle
from webapp.journals.models import Inspection

WORDS = {
    "plan": "recognise the files",
    "decode": "read batches and records",
    "relate": "follow every key through the log",
    "replay": "rebuild the state as the service would",
    "detect": "run the detectors",
    "summarise": "find causes and write the report",
}


def log_of(inspection: Inspection) -> dict[str, Any]:
    """Stages of the inspection with times, notes and bytes: of its row once it is done, else as the worker tells them."""
    if stored := inspection.summary.get("log"):
        return {"stages": _in_words(inspection, stored), "broker_answers": True}
    stages, broker_answers = lifecycle.stages_of(inspection)
    if inspection.is_over and broker_answers:
        stages = _as_left(stages)
    return {"stages": _in_words(inspection, stages), "broker_answers": broker_answers}


def _in_words(inspection: Inspection, stages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [stage | {"words": WORDS.get(stage["name"], "")} | _rest_of(inspection, stage) for stage in stages]


def _rest_of(inspection: Inspection, stage: dict[str, Any]) -> dict[str, Any]:
    """Of a running stage: the bytes that it has read, and about how many seconds are left."""
    done, total = stage.get("done") or 0, stage.get("total") or 0
    if stage["state"] != "running" or not total or inspection.is_over:
        return {}
    size_bytes = inspection.journal.uploads.aggregate(bytes=Sum("size_bytes"))["bytes"] or 0
    read = share_read(size_bytes, done, total) if stage["name"] == "decode" else ""
    return {"read": read, "left_seconds": remaining_seconds(stage.get("seconds") or 0, done, total)}


def _as_left(stages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Stages that had started; the running one is marked as stopped."""
    reached = [stage for stage in stages if stage["state"] != "waiting"]
    return [stage | {"state": "stopped"} if stage["state"] == "running" else stage for stage in reached]
