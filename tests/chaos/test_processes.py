"""Processes that are killed while they work, as the kernel does it that needs memory: nothing is lost, nothing stays."""

from __future__ import annotations

import hashlib
import http.client
import io
import json
import os
import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.houses import (
    REPAIR,
    SHARE,
    STUCK_SECONDS,
    WORKER,
    before_long,
    broker,
    kill,
    lived_in,
    nothing_is_left_over,
    share_row,
    wait_for_stage,
)
from tests.workers.slow_clients import ask, upload
from tests.workers.whole_house import OVER, SEND, House, as_uuid

pytestmark = [pytest.mark.slow, pytest.mark.chaos]
STORED = bytes(range(256)) * 1_500_000  # long enough to be killed at: a second or two of hashing


@pytest.fixture
def house() -> Iterator[House]:
    """A new one for each test: a supervisor waits longer after each kill."""
    with lived_in() as found:
        yield found


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


@pytest.mark.parametrize("stage", ["decode", "relate", "replay", "detect"])
def test_python_processes_of_spark_that_are_killed_are_taken_up_again(
    house: House, large: Path, stage: str
) -> None:
    """All of them: the kernel picks what has the most memory, and they have about the same."""
    (id,) = house.python(SEND, str(large))
    wait_for_stage(house, id, stage)
    kill(house, "spark.entry.task_daemon")
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


def test_a_repair_whose_worker_is_killed_is_made_after_all(house: House) -> None:
    """That of a sample, which was made before without anybody asking."""
    of_samples = "select inspection_id from journals_repair where state = 'done'"
    before_long(house, lambda: bool(house.ask(of_samples)))
    ((inspection,), *_) = house.ask(of_samples)
    (repair,) = house.python(REPAIR, inspection)
    row = "select state, error, result from journals_repair where id = ?"
    before_long(house, lambda: house.ask(row, repair)[0][0] == "running")
    kill(house, f"{WORKER}inspections")
    before_long(house, lambda: house.ask(row, repair)[0][0] in OVER, 2 * STUCK_SECONDS)
    ((state, error, result),) = house.ask(row, repair)
    assert (state, error) == ("done", "")
    earlier = "select result from journals_repair where inspection_id = ? and id <> ?"
    assert result in [found for (found,) in house.ask(earlier, inspection, repair)]
    assert nothing_is_left_over(house, repair)


def test_a_file_whose_worker_is_killed_while_it_is_stored_is_stored_and_inspected_once(house: House) -> None:
    row = upload(house.port, house.visitor(), STORED, seconds=60)
    kill(house, f"{WORKER}quick")
    stored = "select blob_id from journals_upload where id = ?"
    before_long(house, lambda: house.ask(stored, row)[0][0] is not None, 3 * STUCK_SECONDS)
    assert house.ask(stored, row) == [(hashlib.sha256(STORED).hexdigest(),)]
    of_journal = "select count(*) from journals_inspection where journal_id in (select journal_id from journals_upload where id = ?)"
    assert house.ask(of_journal, row) == [(1,)]
    before_long(house, lambda: not list((house.data / "uploads").iterdir()))


def test_an_export_whose_web_server_is_killed_is_a_broken_transfer_and_is_given_whole_afterwards(
    house: House, large: Path
) -> None:
    (id,) = house.python(SEND, str(large))
    before_long(house, lambda: house.state(id) in OVER, 2 * STUCK_SECONDS)
    address = f"/inspections/{as_uuid(id)}/report/records/export/ndjson/"
    asked = http.client.HTTPConnection("127.0.0.1", house.port, timeout=60)
    asked.request("GET", address, headers=house.visitor().headers() | {"Host": "localhost"})
    answer = asked.getresponse()
    begun = answer.read(1000)
    servers = house.pids("gunicorn")
    for process in servers:
        if (
            parent_of(process) in servers
        ):  # the master is the supervisor's to replace, and tried by other tests
            os.kill(process, signal.SIGKILL)
    with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
        begun += answer.read()
    before_long(house, lambda: answers(house), 20)
    _, whole = ask(house.port, "GET", address, house.visitor().headers(), seconds=600)
    assert whole.startswith(begun)
    ((summary,),) = house.ask("select summary from journals_inspection where id = ?", id)
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        assert archive.read("records.ndjson").count(b"\n") == json.loads(summary)["records"]


def parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def answers(house: House) -> bool:
    try:
        return ask(house.port, "GET", "/healthz")[0].status == 200
    except (OSError, http.client.HTTPException):
        return False
