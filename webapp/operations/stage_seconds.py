"""Seconds that inspections spent in each stage, summed up by the workers in the broker for the metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp import redis_client

HASH = "journalscope:stage-seconds"  # "<stage>:sum" and "<stage>:count"


def note(seconds_by_stage: Mapping[str, float]) -> None:
    """Add a finished inspection. Raises RedisError."""
    with redis_client.connection().pipeline() as pipe:
        for stage, seconds in seconds_by_stage.items():
            pipe.hincrbyfloat(HASH, f"{stage}:sum", seconds)
            pipe.hincrby(HASH, f"{stage}:count", 1)
        pipe.execute()


def read() -> dict[str, tuple[int, float]]:
    """(count, total seconds) by stage. Raises RedisError."""
    answer: Any = redis_client.connection().hgetall(HASH)
    totals: dict[str, float] = {name.decode(): float(value) for name, value in answer.items()}
    stages = sorted({name.rpartition(":")[0] for name in totals})
    return {
        stage: (int(totals.get(f"{stage}:count", 0)), totals.get(f"{stage}:sum", 0.0)) for stage in stages
    }
