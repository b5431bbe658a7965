"""Buttons that make a job, pressed several times at once: one row by a constraint of the database, on SQLite and PostgreSQL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.postgresql import PostgreSQL
from webapp.clusters import captures, trials
from webapp.clusters.models import Capture, Cluster, Trial
from webapp.journals import inspections, repairs
from webapp.journals.models import Inspection, Journal, Repair

pytestmark = pytest.mark.heavy

ROOT = Path(__file__).resolve().parents[2]
PRESSES = 5
PROGRAM = """
import json, sys, threading
import django
django.setup()
from django.core.management import call_command
from django.db import connection
from webapp.accounts.models import Project
from webapp.clusters import captures, trials
from webapp.clusters.models import Capture, Cluster, Trial
from webapp.journals import comparisons, inspections, repairs
from webapp.journals.models import Comparison, Inspection, Journal, Repair
call_command("migrate", verbosity=0)
project = Project.objects.get(slug="default")
journal = Journal.objects.create(project=project, name="journal")
failed = Inspection.objects.create(journal=journal, state="failed")
done = Inspection.objects.create(journal=Journal.objects.create(project=project, name="done"), state="done")
ended = Repair.objects.create(inspection=done, state="failed", topic="again")
cluster = Cluster.objects.create(project=project, name="c", bootstrap="127.0.0.1:1")
buttons = {
    "inspect again": lambda: inspections.retry(failed, None),
    "inspect": lambda: inspections.request_inspection(done.journal, None),
    "repair": lambda: repairs.request_repair(done, [failed], [], None),
    "repair again": lambda: repairs.again(ended, None),
    "compare": lambda: comparisons.request_comparison(done, failed, None),
    "ask a cluster": lambda: trials.request_trial(cluster, "topics", None),
    "capture": lambda: captures.request_capture(cluster, {"topic": "orders"}, None),
}
made = {}
for name, press in buttons.items():
    keys, together = [], threading.Barrier(int(sys.argv[1]))
    def pressed():
        together.wait()
        keys.append(str(press().pk))
        connection.close()
    threads = [threading.Thread(target=pressed) for _ in range(together.parties)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    made[name] = [len(keys), len(set(keys))]
made["rows"] = [model.objects.count() for model in (Inspection, Repair, Comparison, Trial, Capture)]
print(json.dumps(made))
"""


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_each_button_pressed_five_times_at_once_makes_one_job(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")},
        "DJANGO_SETTINGS_MODULE": "webapp.settings",
        "JOURNALSCOPE_DATA": str(tmp_path),
    }
    if database == "postgresql":
        server: PostgreSQL = request.getfixturevalue("postgresql")
        environment["DATABASE_URL"] = server.new_database()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(PRESSES)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made.pop("rows") == [4, 3, 1, 1, 1]
    assert made == {name: [PRESSES, 1] for name in made}, done.stderr


@pytest.mark.django_db
class TestWhatIsAskedDiffers:
    """Another question is another job, and so is the same one when the first is over."""

    @pytest.fixture
    def journal(self, project: Any) -> Journal:
        return Journal.objects.create(project=project, name="journal")

    @pytest.fixture
    def cluster(self, project: Any) -> Cluster:
        return Cluster.objects.create(project=project, name="c", bootstrap="127.0.0.1:1")

    def test_an_inspection_that_reads_the_journal_in_another_way(self, journal: Journal, owner: Any) -> None:
        first = inspections.request_inspection(journal, owner)
        assert inspections.request_inspection(journal, owner, {"t": "apicurio-v2"}) != first
        assert inspections.request_inspection(journal, owner, text_format="%k") != first
        assert inspections.request_inspection(journal, owner) == first
        Inspection.objects.filter(pk=first.pk).update(state="done")
        assert inspections.request_inspection(journal, owner) != first

    def test_a_retry_while_the_one_before_is_on_its_way_leads_to_it(
        self, journal: Journal, owner: Any
    ) -> None:
        failed = Inspection.objects.create(journal=journal, state="failed")
        again = inspections.retry(failed, owner)
        assert (inspections.retry(failed, owner), again.requested_by) == (again, owner)
        Inspection.objects.filter(pk=again.pk).update(state="running")
        assert inspections.retry(failed, owner) == again

    def test_a_repair_with_another_topic(self, journal: Journal, owner: Any) -> None:
        done = Inspection.objects.create(journal=journal, state="done")
        first = repairs.request_repair(done, [], [], owner)
        assert repairs.request_repair(done, [], [], owner, "kafkasql-journal") != first
        assert Repair.objects.count() == 2

    def test_a_question_that_waits_too_long_is_asked_anew(self, cluster: Cluster, owner: Any) -> None:
        first = trials.request_trial(cluster, "topics", owner)
        Trial.objects.update(requested_at=first.requested_at - trials.PATIENCE)
        assert trials.request_trial(cluster, "topics", owner) != first
        assert Trial.objects.get(pk=first.pk).state == "cancelled"

    def test_a_paused_capture_goes_on_beside_the_same_one(self, cluster: Cluster, owner: Any) -> None:
        first = captures.request_capture(cluster, {"topic": "orders"}, owner)
        captures.pause(first, owner)
        second = captures.request_capture(cluster, {"topic": "orders"}, owner)
        captures.resume(first, owner)
        assert {(one.pk, one.state) for one in Capture.objects.all()} == {
            (first.pk, "queued"),
            (second.pk, "queued"),
        }
