"""What a repeated capture takes over from the last one: its segments, and their part of its manifest.

A watch's capture goes on where the last one stopped, so it holds what is new. Its journal is made of both: rows that
name the blobs of the last journal's segments, the new segments, and one manifest that tells of all of them. Nothing is
carried over from another log: where the topic was made anew or cut back, a capture from the beginning is due.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from webapp.clusters.models import Capture
from webapp.journals.models import Journal, Upload

Manifest = dict[str, Any]
Partition = dict[str, Any]

BREAKS = {
    "topic-recreated": "The topic was deleted and created again.",
    "truncated": "The log was truncated below the captured offsets.",
    "log-start-moved": "The broker deleted records before they were captured.",
}
CAPTURED_BEFORE = "captured-before"
GONE = "Files of the last captured journal were deleted."


class RecaptureNeeded(Exception):
    """What was captured does not go on where the last capture stopped; the text says why."""


@dataclass(frozen=True)
class PreviousSegments:
    """The last capture's segments, and the manifest of old and new together."""

    uploads: list[Upload]
    manifest: Manifest

    def write_manifest(self, path: Path) -> int:
        """Returns its size in bytes."""
        return path.write_bytes(json.dumps(self.manifest, ensure_ascii=False, indent=1).encode())

    def add_to(self, journal: Journal) -> None:
        """Rows of the journal; the bytes are stored already."""
        Upload.objects.bulk_create(
            Upload(
                journal=journal,
                name=upload.name,
                size_bytes=upload.size_bytes,
                received_bytes=upload.size_bytes,
                blob_id=upload.blob_id,
            )
            for upload in self.uploads
        )


def goes_on(capture: Capture) -> bool:
    """Whether it was asked for from where another one stopped."""
    return "offsets" in capture.asked.get("start", {})


def last_with_journal(watch_id: Any, before: Capture | None = None) -> Capture | None:
    """The watch's newest capture that became a journal."""
    captures = Capture.objects.filter(watch=watch_id).exclude(journal=None).exclude(manifest=None)
    if before is not None:
        captures = captures.filter(created_at__lt=before.created_at)
    return captures.select_related("journal").order_by("-created_at").first()


def carried(capture: Capture, manifest: Manifest) -> PreviousSegments:
    """What is carried over into the journal of a capture that goes on. Raises RecaptureNeeded."""
    last = last_with_journal(capture.watch_id, capture)
    uploads = _segments(last) if last else None
    if last is None or uploads is None or last.manifest is None:
        raise RecaptureNeeded(GONE)
    ends = {
        partition["partition"]: partition["got"]["next_offset"] for partition in last.manifest["partitions"]
    }
    for partition in manifest["partitions"]:
        if why := _break_of(partition, ends.get(partition["partition"], 0)):
            raise RecaptureNeeded(
                f"{BREAKS[why]} Partition {partition['partition']} is captured from its start."
            )
    return PreviousSegments(uploads, merged(last.manifest, manifest))


def _segments(last: Capture) -> list[Upload] | None:
    """The files that its manifest names; None when one is gone."""
    assert last.journal is not None
    assert last.manifest is not None
    named = {name for partition in last.manifest["partitions"] for name in partition["segments"]}
    uploads = list(last.journal.uploads.filter(name__in=named).exclude(blob=None).order_by("name"))
    return uploads if len(uploads) == len(named) else None


def _break_of(partition: Partition, end: int) -> str:
    """The kind of event that makes old and new two logs; `end`: the offset behind what the old one holds."""
    kinds = {event["kind"] for event in partition["events"]} | {partition["stopped_by"]}
    if kinds & {"topic-recreated", "truncated"}:
        return "topic-recreated" if "topic-recreated" in kinds else "truncated"
    first, log_start = partition["got"]["first_offset"], partition["at_start"].get("log_start_offset")
    is_moved = "log-start-moved" in kinds and first is not None and first > end
    return "log-start-moved" if is_moved or (log_start is not None and log_start > end) else ""


def merged(last: Manifest, new: Manifest) -> Manifest:
    """What the new capture says of the cluster, and the ranges, segments and events of both."""
    partitions = {partition["partition"]: partition for partition in last["partitions"]}
    for partition in new["partitions"]:
        number = partition["partition"]
        before = partitions.get(number)
        partitions[number] = _merged(before, partition, last) if before else partition
    return {**new, "partitions": [partitions[number] for number in sorted(partitions)]}


def _merged(old: Partition, new: Partition, last: Manifest) -> Partition:
    first = old["got"]["first_offset"]
    first = new["got"]["first_offset"] if first is None else first
    since = _since(old, new, last)
    before = [event for event in old["events"] if not since or event["kind"] != CAPTURED_BEFORE]
    return {
        **new,
        "at_start": old["at_start"],
        "asked": {"from_offset": old["asked"]["from_offset"], "to_offset": new["asked"]["to_offset"]},
        "got": {
            "first_offset": first,
            "next_offset": new["got"]["next_offset"],
            "batches": old["got"]["batches"] + new["got"]["batches"],
            "size_bytes": old["got"]["size_bytes"] + new["got"]["size_bytes"],
        },
        "segments": [*old["segments"], *new["segments"]],
        "is_converted": _either(old["is_converted"], new["is_converted"]),
        "aborted": [txn for txn in old["aborted"] if txn not in new["aborted"]] + new["aborted"],
        "events": [*before, *since, *new["events"]],
    }


def _either(old: bool | None, new: bool | None) -> bool | None:
    if old:
        return True
    return old if new is None else new


def _since(old: Partition, new: Partition, last: Manifest) -> list[dict[str, Any]]:
    """What the broker may hold no longer as it was captured."""
    first, end = old["got"]["first_offset"], old["got"]["next_offset"]
    if first is None or first >= end or not new["got"]["batches"]:
        return []
    at_ms = last["finished_at_ms"] or last["started_at_ms"]
    captured = f"captured until {datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M} UTC"
    log_start = new["log_start_offset"]
    sentences = []
    if log_start is not None and log_start > first:
        sentences.append(
            f"Offsets {first:,} to {min(log_start, end) - 1:,} were {captured}; the broker has deleted them since. "
            "The journal still shows them."
        )
    if is_compacted(last) and (log_start is None or log_start < end):
        sentences.append(
            f"Offsets {max(first, log_start or 0):,} to {end - 1:,} were {captured}, so the journal contains records that the "
            "log cleaner has removed since. Start a new capture to see the current log."
        )
    return [{"kind": CAPTURED_BEFORE, "at_ms": at_ms, "offset": first, "says": says} for says in sentences]


def is_compacted(manifest: Manifest) -> bool:
    """Whether the topic's cleanup.policy contains compact."""
    policy = (manifest["topic"].get("configs") or {}).get("cleanup.policy") or {}
    return "compact" in str(policy.get("value"))
