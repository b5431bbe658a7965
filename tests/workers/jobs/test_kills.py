"""A worker that is killed at each change of a job's state: the job is done in the end, once, and nothing stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[3]
BEGIN = """
import json, os, signal, sys
import django
django.setup()
from datetime import timedelta
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone
from tests.workers.jobs.racing import doing, lose_worker, waiting
from webapp.accounts.models import Project
from webapp.jobs import lifecycle
from webapp.journals.disk import durable
from webapp.journals.models import Inspection
from webapp.redis_client import connection
from workers.jobs import heartbeat, housekeeping, runner
"""
KILLED = """
job = waiting("inspection", Project.objects.get())
point, kind = sys.argv[1], doing("inspection")
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
def after(owner, name):
    whole = getattr(owner, name)
    setattr(owner, name, lambda *a, **k: (whole(*a, **k), die()))
{
    "taken": lambda: after(lifecycle, "take"),
    "said alive": lambda: setattr(runner, "_outcome", die),
    "executing": lambda: setattr(type(kind), "execute", die),
    "executed": lambda: after(type(kind), "execute"),
    "settled": lambda: after(lifecycle, "settle"),
    "renamed": lambda: after(durable, "rename"),
    "committed": lambda: setattr(type(kind), "settled", die),
}[point]()
print(job.pk, flush=True)
runner.perform(kind, str(job.pk))
"""
NEXT = """
from pathlib import Path
job = Inspection.objects.get()
before = [job.state, sorted(path.name.count(".") for path in Path(settings.RESULTS_DIR).glob("*"))]
lose_worker(job, connection())
runner.perform(doing("inspection"), str(job.pk))
housekeeping.clean_up()
job.refresh_from_db()
names = [path.name for path in Path(settings.RESULTS_DIR).iterdir()]
scratch = [path.name for path in Path(settings.SCRATCH_DIR).glob("*")]
print(json.dumps([before, job.state, job.attempts, job.error, names == [str(job.pk)], scratch]))
"""
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path, redis_server: str) -> Run:
    """A program of its own, on a database and folders of the test."""
    own = {"JOURNALSCOPE_DATA": str(tmp_path), "REDIS_URL": redis_server, "PYTHONPATH": str(ROOT)}
    kept = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment = kept | own | {"DJANGO_SETTINGS_MODULE": "webapp.settings"}

    def program(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", BEGIN + text, *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    assert program('call_command("migrate", verbosity=0)').returncode == 0
    return program


@pytest.mark.parametrize(
    ("point", "state_left"),
    [
        pytest.param("taken", "running", marks=pytest.mark.long),
        pytest.param("said alive", "running", marks=pytest.mark.long),
        ("executing", "running"),
        pytest.param("executed", "running", marks=pytest.mark.long),
        ("settled", "running"),  # the transaction never came to its end
        pytest.param("renamed", "running", marks=pytest.mark.long),
        ("committed", "done"),
    ],
)
def test_a_job_whose_worker_is_killed_is_done_once(run: Run, point: str, state_left: str) -> None:
    killed = run(KILLED, point)
    assert killed.returncode == -9, killed.stderr
    done = run(NEXT)
    assert done.returncode == 0, done.stderr
    outcome: list[Any] = json.loads(done.stdout)
    attempts = 1 if state_left == "done" else 2
    assert outcome[0][0] == state_left
    assert outcome[1:] == ["done", attempts, "", True, []]
