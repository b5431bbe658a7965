"""A PostgreSQL that goes away and comes back: pages say so meanwhile, work goes on and is kept, nothing is lost."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.houses import (
    SHARE,
    STUCK_SECONDS,
    WORKER,
    before_long,
    kill,
    lived_in,
    nothing_is_left_over,
    share_row,
    wait_for_stage,
)
from tests.postgresql import PostgreSQL
from tests.workers.slow_clients import Visitor, announce, ask
from tests.workers.whole_house import OVER, SEND, House, as_uuid
from webapp.errors import DATABASE_AWAY

pytestmark = [pytest.mark.slow, pytest.mark.chaos]
AWAY_SECONDS = 20.0  # more than a worker may be silent


@pytest.fixture(scope="module")
def server() -> Iterator[PostgreSQL]:
    """Not the one that other tests share."""
    mortal = PostgreSQL()
    try:
        mortal.make()
        mortal.start()
        yield mortal
    finally:
        mortal.remove()


@pytest.fixture(scope="module")
def house(server: PostgreSQL) -> Iterator[House]:
    with lived_in(server.new_database()) as found:
        yield found


@pytest.fixture(scope="module")
def visitor(house: House) -> Visitor:
    return house.visitor()


def get(house: House, visitor: Visitor, path: str) -> tuple[int, str, str]:
    """Status, Retry-After and body."""
    answer, body = ask(house.port, "GET", path, visitor.headers(), seconds=10)
    return answer.status, answer.headers.get("Retry-After", ""), body.decode()


def away(server: PostgreSQL, seconds: float = AWAY_SECONDS) -> None:
    server.stop()
    time.sleep(seconds)
    server.start()


@pytest.mark.parametrize("stage", ["plan", "decode", "summarise"])
def test_an_inspection_during_which_postgresql_goes_and_comes_is_done(
    house: House, server: PostgreSQL, large: Path, stage: str
) -> None:
    (id,) = house.python(SEND, str(large))
    wait_for_stage(house, id, stage)
    away(server)
    before_long(house, lambda: house.state(id) in OVER, 2 * STUCK_SECONDS)
    assert house.row(id) == ("done", 1, "")
    assert nothing_is_left_over(house, id)


def test_one_that_ends_while_postgresql_is_away_is_kept_and_not_made_again(
    house: House, server: PostgreSQL, large: Path
) -> None:
    (id,) = house.python(SEND, str(large))
    wait_for_stage(house, id, "decode")
    away(server, 2 * AWAY_SECONDS)
    before_long(house, lambda: house.state(id) in OVER)
    assert house.row(id) == ("done", 1, "")
    told = [line for line in house.said if as_uuid(id) in line]
    assert not any("is queued again" in line for line in told), told


def test_pages_programs_and_watchers_are_told_and_answered_once_it_is_back(
    house: House, server: PostgreSQL, visitor: Visitor
) -> None:
    assert get(house, visitor, "/")[0] == 200
    server.stop()
    for _ in range(3):
        assert get(house, visitor, "/healthz")[::2] == (503, '{"database": false, "broker": true}')
        status, retry_after, page = get(house, visitor, "/")
        assert (status, retry_after, DATABASE_AWAY in page) == (503, "10", True)
        status, retry_after, body = get(house, visitor, "/api/v1/journals/")
        assert (status, retry_after, json.loads(body)) == (503, "10", {"error": DATABASE_AWAY})
    server.start()
    before_long(house, lambda: get(house, visitor, "/healthz")[0] == 200, 10)
    assert get(house, visitor, "/")[0] == 200
    assert get(house, visitor, "/api/v1/journals/")[0] == 200


def test_an_upload_goes_on_where_it_was_when_postgresql_went(
    house: House, server: PostgreSQL, visitor: Visitor
) -> None:
    path, tus = announce(house.port, visitor, 8), {**visitor.headers(), "Tus-Resumable": "1.0.0"}

    def patch(offset: int, content: bytes) -> int:
        fields = tus | {"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
        return ask(house.port, "PATCH", path, fields, content, seconds=20)[0].status

    assert patch(0, b"half") == 204
    server.stop()
    assert patch(4, b"more") == 503
    server.start()
    before_long(house, lambda: ask(house.port, "HEAD", path, tus)[0].headers["Upload-Offset"] == "4", 10)
    assert patch(4, b"more") == 204


def test_a_share_that_is_made_while_postgresql_goes_is_made_after_all(
    house: House, server: PostgreSQL, large: Path
) -> None:
    (id,) = house.python(SEND, str(large))
    before_long(house, lambda: house.state(id) in OVER, 2 * STUCK_SECONDS)
    (share,) = house.python(SHARE, id)
    before_long(house, lambda: share_row(house, share)[0] != "queued")
    away(server)
    before_long(house, lambda: share_row(house, share)[0] in OVER, STUCK_SECONDS + 30)
    assert share_row(house, share) == ("done", "")


def test_what_nobody_works_on_is_not_stuck_when_postgresql_was_away_longer_than_the_worker_waits(
    house: House, server: PostgreSQL, large: Path
) -> None:
    """The worker is killed as well, so nobody waits: housekeeping takes it up."""
    (id,) = house.python(SEND, str(large))
    wait_for_stage(house, id, "relate")
    server.stop()
    kill(house, WORKER)
    time.sleep(AWAY_SECONDS)
    server.start()
    before_long(house, lambda: house.state(id) in OVER, 2 * STUCK_SECONDS)
    assert house.row(id)[::2] == ("done", "")
