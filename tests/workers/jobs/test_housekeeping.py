"""Housekeeping: nothing stays `running` or waits for ever, nothing half-made stays on disk."""

from __future__ import annotations

import os
import time
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from webapp.jobs import kinds
from webapp.jobs.queues import QUEUES
from webapp.journals.models import Inspection, Journal, Upload
from workers.jobs import housekeeping

pytestmark = pytest.mark.django_db
State = Inspection.State
LONG_AGO = timedelta(hours=2)


@pytest.fixture
def make(project, house):
    def inspection(state: str, attempts: int = 0, age: timedelta = LONG_AGO) -> Inspection:
        journal = Journal.objects.create(project=project, name="journal")
        made = Inspection.objects.create(journal=journal, state=state, attempts=attempts)
        moment = timezone.now() - age
        started = None if state == State.QUEUED else moment
        Inspection.objects.filter(pk=made.pk).update(created_at=moment, started_at=started)
        return made

    return inspection


def sent(house) -> int:
    return sum(house.llen(name) for name in QUEUES)


def state(inspection: Inspection) -> str:
    inspection.refresh_from_db()
    return inspection.state


def test_an_inspection_whose_worker_is_gone_is_sent_once_more(house, make):
    inspection = make(State.RUNNING, attempts=1)
    housekeeping.clean_up()
    assert state(inspection) == State.QUEUED
    housekeeping.clean_up()
    assert sent(house) == 1


def test_the_second_time_it_fails_with_words_for_the_user(house, make):
    inspection = make(State.RUNNING, attempts=2)
    housekeeping.clean_up()
    assert state(inspection) == State.FAILED
    assert inspection.error.startswith("The worker stopped while it was inspecting")
    assert inspection.finished_at
    assert sent(house) == 0


@pytest.mark.parametrize("why", ["alive", "just taken up"])
def test_an_inspection_that_runs_is_left_alone(house, make, why):
    inspection = make(State.RUNNING, attempts=1, age=LONG_AGO if why == "alive" else timedelta(seconds=2))
    if why == "alive":
        house.set(f"journalscope:alive:{inspection.pk}", "a lease")
    housekeeping.clean_up()
    assert state(inspection) == State.RUNNING


def test_a_waiting_inspection_without_a_message_is_sent_and_not_twice(house, make):
    make(State.QUEUED)
    housekeeping.clean_up()
    housekeeping.clean_up()
    house.delete(*QUEUES)  # a worker has it in its hands
    housekeeping.clean_up()
    assert sent(house) == 0


def test_a_waiting_inspection_with_a_message_is_not_sent_again(house, make):
    inspection = make(State.QUEUED)
    housekeeping.send(kinds.of(inspection), inspection)
    house.delete(*house.keys("journalscope:sent:*"))
    housekeeping.clean_up()
    assert sent(house) == 1


def test_uploads_nothing_more_arrives_for_are_removed(project, house, settings):
    journal = Journal.objects.create(project=project, name="journal")
    stale, fresh = (
        Upload.objects.create(
            journal=journal, name=name, size_bytes=9, expires_at=timezone.now() + timedelta(hours=hours)
        )
        for name, hours in (("stale", -1), ("fresh", 1))
    )
    Path(settings.UPLOADS_DIR).mkdir()
    parts = [Path(settings.UPLOADS_DIR) / f"{upload.pk}.part" for upload in (stale, fresh)]
    for part in parts:
        part.write_bytes(b"some")
    housekeeping.clean_up()
    assert [part.exists() for part in parts] == [False, True]
    assert list(Upload.objects.values_list("name", flat=True)) == ["fresh"]


def test_half_made_results_and_old_scratch_go_and_the_rest_stays(settings, make, house):
    running, done = make(State.RUNNING), make(State.DONE)
    house.set(f"journalscope:alive:{running.pk}", "its lease")
    lease, earlier = uuid.uuid4(), uuid.uuid4()
    Inspection.objects.filter(pk=running.pk).update(lease=lease)
    results, scratch = Path(settings.RESULTS_DIR), Path(settings.SCRATCH_DIR)
    kept = [
        results / f"{running.pk}.{lease}.partial",
        results / str(done.pk),
        scratch / f"{running.pk}.{lease}",
        scratch / "spark",
    ]
    gone = [
        results / f"{done.pk}.{earlier}.partial",
        results / f"{running.pk}.{earlier}.partial",
        results / f"{running.pk}.partial",  # of an earlier version
        results / "00000000-dead",
        scratch / "00000000-dead",
        scratch / f"{running.pk}.{earlier}",
    ]
    old = time.time() - housekeeping.LEFTOVER_SECONDS - 1
    for folder in kept + gone:
        folder.mkdir(parents=True)
        os.utime(folder, (old, old))
    housekeeping.clean_up()
    assert [folder.name for folder in kept if not folder.exists()] == []
    assert [folder.name for folder in gone if folder.exists()] == []
