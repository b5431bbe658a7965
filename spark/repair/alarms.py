"""Findings of an inspection that are critical or high, as a repair asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark.repair import MissingEntity
from spark.tables.replica import PartitionReplica
from spark.terms.marked import plain
from spark.terms.wording import offset_range

ALARMS = ("critical", "high")
HEADLESS = ("missing-head",)  # the detector of a loss that only an older dump can name
# Detectors of bytes at which a Java consumer stops. What other consumers do there is not known: librdkafka compares no checksums.
CORRUPT, UNREADABLE = "crc-mismatch", "unreadable-bytes"
NO_JAVA = ("karapace", "redpanda")  # services by id


def is_alarm(finding: Mapping[str, Any]) -> bool:
    return finding["severity"] in ALARMS


def damage_of(report: Mapping[str, Any], replica: PartitionReplica) -> list[dict[str, Any]]:
    """Findings of bytes that stop a Java consumer, in the order of offsets."""
    damage = [alarm for alarm in every_alarm(report, replica) if alarm["detector"] in (CORRUPT, UNREADABLE)]
    return sorted(damage, key=lambda alarm: alarm["first_offset"] or 0)


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


def stops_start(damage: Mapping[str, Any]) -> str:
    """Why no service starts on the topic, however many records are appended."""
    return (
        f"{plain(damage['title'])}. A start that stops there does not get to the appended records. Restore these bytes from another replica and "
        "build the repair again, or use a repaired copy."
    )


def in_copy(damage: Mapping[str, Any]) -> str:
    """What damage of the dump means for a repaired copy."""
    if damage["first_offset"] is None:
        return f"{plain(damage['title'])}: what they contained is not in the copy. If another replica has it, build the repair from its log."
    records = f"The records at {offset_range(damage['first_offset'], damage['last_offset'])}"
    if damage["detector"] == CORRUPT:
        return (
            f"{records} are in the copy as they could be decoded. Their batch is corrupt, so any of their bytes can be wrong: compare them with "
            "another replica."
        )
    return f"{records} cannot be in the copy: their bytes are unreadable. If another replica has them, build the repair from its log."
