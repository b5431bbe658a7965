"""A real worker takes the id of a request out of the message and works under it."""

from __future__ import annotations

import logging
import threading
from typing import Any

import pytest
from celery import Celery
from celery.contrib.testing.worker import start_worker

import workers.tracing  # noqa: F401
from webapp import tracing
from workers.jobs import spark_runner
from workers.jobs.progress import Progress


@pytest.mark.spark
def test_spark_s_jobs_carry_the_id_and_the_inspection(house: Any) -> None:
    progress = Progress("11111111-2222-3333-4444-555555555555", ())

    def made(living: Any) -> tuple[str, str]:
        context = living()
        context.parallelize(range(2), 1).count()
        names = ("journalscope.request_id", "spark.job.description")
        return tuple(context.getLocalProperty(name) for name in names)  # type: ignore[return-value]

    try:
        with tracing.traced("f" * 32):
            told = spark_runner.run(progress, made)
    finally:
        spark_runner.end()
    assert told == ("f" * 32, f"11111111-2222-3333-4444-555555555555 for request {'f' * 32}")


@pytest.fixture
def seen() -> dict[str, Any]:
    return {"ids": [], "done": threading.Event()}


@pytest.mark.integration
def test_a_task_works_under_the_id_of_the_request_that_sent_it(
    house: Any, redis_server: str, seen: dict[str, Any], caplog: Any
) -> None:
    app = Celery("tracing", broker=redis_server.replace("unix://", "redis+socket://"), set_as_current=False)
    app.conf.task_ignore_result = True

    @app.task(name="look")
    def look(_: str) -> None:
        seen["ids"].append(tracing.request_id())
        if len(seen["ids"]) == 2:
            seen["done"].set()

    logging.getLogger("workers.tracing").setLevel(logging.INFO)
    with start_worker(app, pool="threads", perform_ping_check=False), caplog.at_level(logging.INFO):
        app.send_task("look", args=["1"], headers={tracing.HEADER: "d" * 32})
        app.send_task("look", args=["2"])
        assert seen["done"].wait(10)
    assert "d" * 32 in seen["ids"]
    assert all(tracing.LOOKS_LIKE_ONE.fullmatch(one) for one in seen["ids"])
    ended = [record for record in caplog.records if record.getMessage() == "A task ended."]
    assert {(record.task, record.outcome) for record in ended} <= {("look", "SUCCESS")}
    assert tracing.request_id() == ""
