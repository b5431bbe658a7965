"""The processes as `make run` starts them: killed, cancelled, two inspections at once. What needs no house of its own: tests/e2e."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workers.whole_house import CANCEL, OVER, SEND, House, as_uuid, running, start, until

pytestmark = [pytest.mark.slow, pytest.mark.long]
HANGS = 600.0  # seconds; what takes so long on the busiest machine never comes


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with running() as found:
        yield found


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    """A journal that keeps a worker busy for some seconds."""
    from tests.generator import bulk

    folder = tmp_path_factory.mktemp("large")
    return bulk.write_segments(folder, size_bytes=200 << 20)[0].parent


def half_made(house: House, inspection: str) -> bool:
    """Whether an attempt has written records."""
    return any((house.data / "results").glob(f"{as_uuid(inspection)}.*.partial/records"))


def test_a_cancelled_inspection_stops_and_leaves_nothing(house, large):
    (id,) = house.python(SEND, str(large))
    until(lambda: half_made(house, id), HANGS)
    house.python(CANCEL, id)
    until(lambda: house.state(id) == "cancelled", HANGS)
    until(lambda: not any(as_uuid(id) in folder.name for folder in (house.data / "results").iterdir()), HANGS)


def test_a_small_journal_does_not_wait_for_a_large_one(house, large, tmp_path):
    small = tmp_path / "small.json"
    small.write_text('[{"offset": 0, "key": "a", "payload": "1"}, {"offset": 1, "key": "a", "payload": "2"}]')
    big, little = house.python(SEND, str(large), str(small))
    until(lambda: house.state(little) in OVER, HANGS)
    assert (house.row(little), house.state(big)) == (("done", 1, ""), "running")
    house.python(CANCEL, big)
    until(lambda: house.state(big) in OVER, HANGS)


def test_a_worker_killed_in_the_middle_is_replaced_and_its_inspection_finished(house, large):
    (id,) = house.python(SEND, str(large))
    until(lambda: half_made(house, id), HANGS)
    (worker,) = house.pids("celery --app workers.app --quiet worker --queues inspections")
    os.kill(worker, signal.SIGKILL)
    until(
        lambda: any("The inspections worker stopped (by signal SIGKILL)" in line for line in house.said),
        HANGS,
    )
    until(lambda: house.state(id) in OVER, HANGS)
    state, attempts, error = house.row(id)
    assert (state, error) == ("done", "")
    assert attempts in (1, 2), "one, where it was done a moment before"


def test_nothing_is_left_when_the_supervisor_is_killed_and_the_work_goes_on_next_time(house, large):
    (id,) = house.python(SEND, str(large))
    until(lambda: house.state(id) == "running", HANGS)
    house.process.kill()
    house.process.wait()
    until(lambda: house.pids() == [], 8)
    again = start(house.data)
    try:
        until(lambda: house.state(id) in OVER, HANGS)
        assert house.row(id)[0] == "done"
        began = time.monotonic()
        again.process.send_signal(signal.SIGINT)
        assert again.process.wait(15) == 0
        assert time.monotonic() - began < 10
        until(lambda: house.pids() == [], 2)
    finally:
        again.process.kill()
