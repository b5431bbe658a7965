"""Findings of an inspection that are critical or high, as a repair asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark.repair import MissingEntity
from spark.tables.replica import PartitionReplica
from spark.terms.marked import plain

ALARMS = ("critical", "high")
HEADLESS = ("missing-head",)  # the detector of a loss that only an older dump can name


def is_alarm(finding: Mapping[str, Any]) -> bool:
    return finding["severity"] in ALARMS


def mark_of(finding: Mapping[str, Any]) -> tuple[str, str]:
    """What a finding is about, whatever offsets its title names."""
    return finding["detector"], finding["entity"] or ""


def alarms_of(report: Mapping[str, Any], replica: PartitionReplica) -> list[dict[str, Any]]:
    """A partition's findings that are critical or high and no consequence of others."""
    return [finding for finding in every_alarm(report, replica) if finding["consequence_of"] is None]


def every_alarm(report: Mapping[str, Any], replica: PartitionReplica) -> list[dict[str, Any]]:
    """With consequences: of one whose cause the repair takes away, the history is still there."""
    return [
        finding
        for finding in report["findings"]
        if is_alarm(finding)
        and finding["topic"] == replica.topic
        and finding["partition"] in (None, replica.partition)
    ]


def not_by_records(alarm: Mapping[str, Any]) -> MissingEntity:
    """A grave finding that no record takes away."""
    why = "no record that is known here takes it away, an older dump may help; the steps of the finding say what to do"
    return MissingEntity(plain(alarm["title"]), (), why)
