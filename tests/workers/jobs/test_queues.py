"""Real Redis, real Celery workers, one for each queue: four long inspections hold up nothing that takes seconds."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.workers.mortal_redis import MortalRedis
from webapp.jobs.kinds import all_kinds
from workers.server import preflight

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[3]
MAX_WAIT_SECONDS = 2.0
# The worker of inspections, with a kind that works until its job is cancelled.
INSPECTING = """
import sys, time
import django
django.setup()
from workers import kinds
from workers.app import app
from tests.workers.jobs.racing import doing
def long(attempt):
    while True:
        attempt.progress.raise_if_cancelled()
        time.sleep(0.1)
long_inspections = doing("inspection", long)
kinds.load = lambda name: long_inspections
from workers.jobs import spark_runner
spark_runner.begin = spark_runner.end = lambda: None
app.worker_main(sys.argv[1:])
"""
# Four inspections; once all of them run, a hundred questions to a cluster, ten at a time; a notification among them.
ASKING = """
import json, time
import django
django.setup()
from tests.workers.jobs.racing import waiting
from webapp import celery_client
from webapp.accounts.models import Project
from webapp.clusters.models import Cluster, Trial
from webapp.clusters.trials import request_trial
from webapp.jobs import lifecycle
from webapp.journals.models import Inspection
def until(holds):
    deadline = time.monotonic() + 240
    while not holds():
        assert time.monotonic() < deadline, "nobody is at it"
        time.sleep(0.05)
project = Project.objects.get()
for _ in range(4):
    lifecycle.send(waiting("inspection", project))
until(lambda: Inspection.objects.filter(state="running").count() == 4)
cluster = Cluster.objects.create(project=project, name="nobody", bootstrap="127.0.0.1:1")
request_trial(cluster, "topics", None)
until(lambda: not Trial.objects.filter(state__in=["queued", "running"]).exists())  # the worker is up
Trial.objects.all().delete()
for number in range(10):
    for nth in range(10):
        trial = Trial.objects.create(cluster=cluster, kind="topics", asked={"nth": nth})
        lifecycle.send(trial)
    until(lambda: not Trial.objects.filter(state__in=["queued", "running"]).exists())
waits = [(trial.finished_at - trial.requested_at).total_seconds() for trial in Trial.objects.all()]
attempts = sum(trial.attempts for trial in Trial.objects.all())
print(json.dumps([waits, attempts, Inspection.objects.filter(state="running").count()]))
"""


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """A data folder, its database and its Redis."""
    with tempfile.TemporaryDirectory(prefix="js-") as name:
        broker = MortalRedis(Path(name))
        broker.start()
        own = {"JOURNALSCOPE_DATA": name, "REDIS_URL": broker.url, "PYTHONPATH": str(ROOT)}
        kept = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
        given = kept | own | {"DJANGO_SETTINGS_MODULE": "webapp.settings"}
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(migrate, cwd=ROOT, env=given, check=True)
        yield given
        broker.kill()


@pytest.mark.long
def test_four_long_inspections_hold_up_no_quick_task(environment: dict[str, str]) -> None:
    inspecting = [sys.executable, "-c", INSPECTING, *preflight.worker_command("inspections")[6:]]
    workers = [
        subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
        for command in (inspecting, preflight.worker_command("quick"))
    ]
    try:
        asking = subprocess.run(
            [sys.executable, "-c", ASKING],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    assert asking.returncode == 0, asking.stderr
    waits, attempts, running = json.loads(asking.stdout)
    assert (len(waits), attempts, running) == (100, 100, 4)
    assert statistics.median(waits) < MAX_WAIT_SECONDS


def test_a_worker_without_queues_takes_all_of_them_and_the_old_one() -> None:
    from workers.app import app

    assert list(app.amqp.queues.consume_from) == ["inspections", "transfers", "quick", "celery"]


@pytest.mark.parametrize("task", ["journalscope.housekeeping", "journalscope.notify", "journalscope.watches"])
def test_what_takes_seconds_is_quick(task: str) -> None:
    from workers.app import route

    assert route(task) == {"queue": "quick"}


def test_each_kind_has_the_queue_of_its_resource() -> None:
    queues = {kind.name: kind.queue for kind in all_kinds()}
    spark: dict[str, Any] = dict.fromkeys(("inspection", "repair", "comparison"), "inspections")
    assert queues == spark | {"capture": "transfers", "share": "transfers", "trial": "quick"}


def test_a_message_lies_in_the_list_of_its_queue(house: Any) -> None:
    from webapp import celery_client

    for kind in all_kinds():
        assert celery_client.send(kind.task, "an id")
    assert {name: house.llen(name) for name in ("inspections", "transfers", "quick")} == {
        "inspections": 3, "transfers": 2, "quick": 1,
    }  # fmt: skip
