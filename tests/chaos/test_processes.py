"""Processes that are killed while they work, as the kernel does it that needs memory: nothing is lost, nothing stays."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import redis

from tests.workers.whole_house import OVER, SEND, House, as_uuid, running, until

pytestmark = [pytest.mark.slow, pytest.mark.chaos]
STUCK_SECONDS = 60
USUAL_START_SECONDS = (
    25  # of a new data folder, its samples included, where nothing else runs; measured waits stretch with it
)
WORKER = "celery --app workers.app --quiet worker --queues "
SHARE = """
import sys, django
django.setup()
from datetime import timedelta
from django.utils import timezone
from webapp.journals.models import Inspection
from webapp.sharing.redaction import Options
from webapp.sharing.scopes import Scope
from webapp.sharing.shares import Terms, create_share
terms = Terms(timezone.now() + timedelta(days=1), Options(b"").document(), scope=Scope().document())
print(create_share(Inspection.objects.get(pk=sys.argv[1]), None, terms)[0].pk.hex)
"""


@pytest.fixture
def house() -> Iterator[House]:
    """A new one for each test: a supervisor waits longer after each kill."""
    began = time.monotonic()
    with running() as found:
        until(lambda: all(one in OVER for one in states(found, "journals_inspection")), 600)
        found.patience = max(1.0, (time.monotonic() - began) / USUAL_START_SECONDS)
        yield found


def before_long(house: House, holds: Callable[[], bool], seconds: float = STUCK_SECONDS) -> None:
    """Until it holds; on a busy machine for as much longer as the start took."""
    until(holds, seconds * house.patience)


def kill(house: House, word: str) -> None:
    """All processes of the house that have this in their command line; there is one at least."""
    found = house.pids(word)
    assert found, word
    for process in found:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal that keeps each stage busy for a while."""
    from spark.generator import bulk

    return bulk.write_segments(tmp_path_factory.mktemp("large"), size_bytes=60 << 20)[0].parent


def states(house: House, table: str) -> list[str]:
    """Of all rows."""
    with sqlite3.connect(house.data / "journalscope.sqlite3") as database:
        return [row[0] for row in database.execute(f"select state from {table}")]


def share_row(house: House, share: str) -> tuple[str, str]:
    """State and error."""
    with sqlite3.connect(house.data / "journalscope.sqlite3") as database:
        return database.execute("select state, error from sharing_share where id = ?", [share]).fetchone()


def broker(house: House) -> redis.Redis:
    """Its Redis."""
    return redis.Redis.from_url(f"unix://{house.data / 'run' / 'redis.sock'}")


def wait_for_stage(house: House, inspection: str, stage: str) -> None:
    """Until it works on this stage, or on a later one where this one was over too soon to be seen."""
    told, deadline = broker(house), time.monotonic() + STUCK_SECONDS * house.patience
    key = f"journalscope:progress:{as_uuid(inspection)}"
    while time.monotonic() < deadline and f'"stage": "{stage}"' not in (told.get(key) or b"").decode():
        if house.state(inspection) in OVER:
            return
        time.sleep(0.01)


def nothing_is_left_over(house: House, inspection: str) -> bool:
    """One whole result, nothing half-made."""
    names = [folder.name for folder in (house.data / "results").iterdir()]
    return as_uuid(inspection) in names and not any(name.endswith(".partial") for name in names)


@pytest.mark.parametrize("stage", ["plan", "decode", "relate", "replay", "detect", "summarise"])
def test_a_worker_killed_in_any_stage_is_replaced_and_the_inspection_done(
    house: House, large: Path, stage: str
) -> None:
    (id,) = house.python(SEND, str(large))
    wait_for_stage(house, id, stage)
    kill(house, f"{WORKER}inspections")
    before_long(
        house, lambda: house.state(id) in ("running", *OVER) and bool(house.pids(f"{WORKER}inspections"))
    )
    before_long(house, lambda: house.state(id) in OVER, 2 * STUCK_SECONDS)
    state, attempts, error = house.row(id)
    assert (state, error) == ("done", "")
    assert attempts <= 2
    assert nothing_is_left_over(house, id)


def test_spark_that_is_killed_under_an_inspection_is_started_again(house: House, large: Path) -> None:
    (id,) = house.python(SEND, str(large))
    wait_for_stage(house, id, "decode")
    kill(house, "org.apache.spark")
    before_long(house, lambda: house.state(id) in OVER, 2 * STUCK_SECONDS)
    assert house.row(id) == ("done", 1, "")


def test_redis_that_is_killed_comes_back_and_the_inspection_is_done(house: House, large: Path) -> None:
    (id,) = house.python(SEND, str(large))
    wait_for_stage(house, id, "decode")
    os.kill(broker(house).info("server")["process_id"], signal.SIGKILL)
    before_long(house, lambda: house.state(id) in OVER, 2 * STUCK_SECONDS)
    assert house.row(id) == ("done", 1, "")
    (small,) = house.python(SEND, str(large))
    before_long(house, lambda: house.state(small) != "queued")


def test_a_share_whose_worker_is_killed_is_made_after_all(house: House, large: Path) -> None:
    (id,) = house.python(SEND, str(large))
    before_long(house, lambda: house.state(id) in OVER, 2 * STUCK_SECONDS)
    (share,) = house.python(SHARE, id)
    before_long(house, lambda: share_row(house, share)[0] != "queued")
    kill(house, f"{WORKER}transfers")
    before_long(house, lambda: share_row(house, share)[0] in OVER, STUCK_SECONDS + 30)
    assert share_row(house, share) == ("done", "")
