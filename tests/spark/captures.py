"""Captures as folders: segments of made batches and the manifest that a capture of them would leave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.generator.segment import segment_name
from tests.spark.transaction_logs import MINUTE_MS, START_MS

NAME = "journalscope-capture.json"


def config(value: str, source: str = "default") -> dict[str, str]:
    return {"value": value, "source": source}


def partition(number: int = 0, *, end: int = 10, first: int = 0, **other: Any) -> dict[str, Any]:
    """A partition whose log began at 0, captured whole from `first` up to before `end`, its high watermark."""
    return {
        "partition": number,
        "leader": 1,
        "leader_epoch": 5,
        "replicas": [1],
        "in_sync": [1],
        "log_start_offset": 0,
        "high_watermark": end,
        "last_stable_offset": end,
        "at_start": {"log_start_offset": 0, "high_watermark": end},
        "asked": {"from_offset": first, "to_offset": end},
        "got": {"first_offset": first, "next_offset": end, "batches": 3, "size_bytes": 999},
        "segments": [],
        "stopped_by": None,
        "fetch_version": 12,
        "is_converted": False,
        "log_size_bytes": 999,
        "aborted": None,
        "producers": None,
        "epoch_ends": None,
        "events": [],
        **other,
    }


def producer(
    number: int = 0, *, epoch: int = 0, open_since: int | None = None, minutes: float = 0
) -> dict[str, Any]:
    """A producer as DescribeProducers tells it; `minutes`: when it wrote last."""
    return {
        "producer_id": number,
        "producer_epoch": epoch,
        "last_sequence": 3,
        "last_timestamp_ms": START_MS + int(minutes * MINUTE_MS),
        "coordinator_epoch": 0,
        "current_transaction_first_offset": open_since,
    }


def transaction(
    number: int = 0, state: str = "Ongoing", partitions: tuple[tuple[str, int], ...] = (("journal", 0),)
) -> dict[str, Any]:
    """A transactional id as DescribeTransactions tells it."""
    return {
        "transactional_id": f"id-{number}",
        "producer_id": number,
        "producer_epoch": 0,
        "state": state,
        "timeout_ms": MINUTE_MS,
        "started_at_ms": START_MS,
        "partitions": [list(one) for one in partitions],
    }


def manifest(
    *partitions: dict[str, Any],
    topic: str = "journal",
    policy: str = "delete",
    minutes: float = 60,
    release: str = "2.8 to 3.0",
    broker: dict[str, Any] | None = None,
    configs: dict[str, Any] | None = None,
    **other: Any,
) -> dict[str, Any]:
    """`minutes`: when the capture ended; `broker` and `configs`: more settings of the leader and of the topic."""
    return {
        "journalscope_capture": 1,
        "started_at_ms": START_MS,
        "finished_at_ms": START_MS + int(minutes * MINUTE_MS),
        "captured_by": "ada",
        "tool": "Journalscope 0.1.0",
        "cluster": {"name": "shop", "id": "c1", "controller": 1, "bootstrap": ["broker:9092"]},
        "brokers": [
            {
                "node": 1,
                "host": "broker",
                "port": 9092,
                "rack": None,
                "release": release,
                "api_versions": {"1": [0, 12]},
                "configs": {"inter.broker.protocol.version": config("2.8"), **(broker or {})},
            }
        ],
        "topic": {
            "name": topic,
            "id": None,
            "is_internal": False,
            "configs": {"cleanup.policy": config(policy), **(configs or {})},
        },
        "partitions": list(partitions) or [partition()],
        "transactions": None,
        "not_asked": [],
        **other,
    }


def write_capture(
    folder: Path, document: dict[str, Any] | bytes, segments: dict[str | int, list[bytes]]
) -> Path:
    """The folder: segments by base offset (of `journal-0`) or by path, batches each, and the manifest."""
    for name, batches in segments.items():
        path = folder / (f"journal-0/{segment_name(name)}" if isinstance(name, int) else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(batches))
    folder.mkdir(parents=True, exist_ok=True)
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    (folder / NAME).write_bytes(content)
    return folder
