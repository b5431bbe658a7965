"""Spark that dies under work: a new session each time, and a sentence when none of them lives."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest

from workers.jobs import spark_runner
from workers.jobs.progress import Progress


@pytest.fixture
def dead(monkeypatch: pytest.MonkeyPatch, house: Any) -> None:
    """No session ever lives, and nobody waits for it."""
    monkeypatch.setattr(spark_runner.spark_session, "is_alive", lambda: False)
    monkeypatch.setattr(spark_runner, "context", Mock())
    monkeypatch.setattr(spark_runner, "PAUSE_SECONDS", 0)


def dies(times: int, tried: list[int]) -> Any:
    """Work whose Spark dies so many times."""

    def work(context: Any) -> str:
        tried.append(1)
        context()
        if len(tried) <= times:
            raise RuntimeError("JAVA_GATEWAY_EXITED")
        return "done"

    return work


def test_work_is_done_although_a_new_session_dies_as_well(dead: None) -> None:
    tried: list[int] = []
    assert spark_runner.run(Progress("one", ()), dies(2, tried)) == "done"


def test_it_ends_with_a_sentence_where_every_session_dies(dead: None) -> None:
    tried: list[int] = []
    with pytest.raises(spark_runner.SparkGone, match="too little memory"):
        spark_runner.run(Progress("one", ()), dies(9, tried))
    assert len(tried) == spark_runner.SESSIONS_TRIED


def test_work_that_fails_before_it_asks_for_spark_did_not_fail_for_its_sake(dead: None) -> None:
    def work(_: Any) -> str:
        raise ConnectionError("the broker went away")

    with pytest.raises(ConnectionError):
        spark_runner.run(Progress("one", ()), work)
