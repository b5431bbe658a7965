"""A supervisor that is asked to stop while it starts: no process outlives it."""

from __future__ import annotations

import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workers.whole_house import House, launch, stop, until

pytestmark = pytest.mark.slow
HANGS = 600.0  # seconds; what takes so long on the busiest machine never comes


@pytest.fixture
def starting() -> Iterator[House]:
    house = launch(Path(tempfile.mkdtemp(prefix="js-")))
    assert house.process
    yield house
    stop(house, house.process.pid)


def end(house: House) -> None:
    assert house.process
    house.process.send_signal(signal.SIGTERM)
    house.process.wait(HANGS)


def test_a_jvm_that_has_just_been_started_ends_with_the_supervisor(starting: House) -> None:
    until(lambda: starting.pids("org.apache.spark") != [], HANGS)
    end(starting)
    assert starting.pids() == []
    assert starting.process.returncode == 0


@pytest.mark.long
@pytest.mark.parametrize("seconds", [0.1, 0.3, 0.6, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8])
def test_at_any_moment_of_the_start_nothing_outlives_the_supervisor(starting: House, seconds: float) -> None:
    time.sleep(seconds)
    end(starting)
    assert starting.pids() == []


def test_a_supervisor_that_is_stopping_starts_nothing_more(starting: House) -> None:
    until((starting.data / "journalscope.sqlite3").exists, HANGS)
    end(starting)
    assert "Stopping." in starting.said
    assert not any("Journalscope runs at" in line for line in starting.said)
    assert not (starting.data / "run" / "beat").exists(), "the scheduler was never started"
