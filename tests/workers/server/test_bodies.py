"""The least rate of a body, and the room that bodies have."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from workers.server import bodies
from workers.server.bodies import Arriving, Gone, NoRoom, Pace, Room, Spool, TooLarge, TooSlow, whole
from workers.server.limits import BYTES_PER_SECOND, GRACE_SECONDS, MEMORY_BYTES


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_byte_every_few_seconds_ends_when_the_grace_does() -> None:
    clock = Clock()
    pace = Pace(clock)
    while pace.seconds_left() and clock.now < 1000:
        clock.now += 2
        pace.came(1)
    assert clock.now == pytest.approx(GRACE_SECONDS, abs=2)


def test_a_body_at_twice_the_least_rate_has_all_the_time_it_needs() -> None:
    clock = Clock()
    pace = Pace(clock)
    for _ in range(10_000):
        clock.now += 1
        pace.came(2 * BYTES_PER_SECOND)
        assert pace.seconds_left() > 0


def test_a_gigabyte_that_came_fast_earns_no_long_pause() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.came(1 << 30)
    assert pace.seconds_left() == GRACE_SECONDS


def arriving(*pieces: bytes, ends: str = "end") -> Arriving:
    messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    last = {"end": {"type": "http.request", "body": b""}, "gone": {"type": "http.disconnect"}}

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop(0)
        if ends == "never":
            await asyncio.Event().wait()
        return last[ends]

    return Arriving(receive)


def test_a_body_comes_whole_and_its_room_is_free_after_it(tmp_path: Path) -> None:
    room = Room(10 * MEMORY_BYTES)
    content = [bytes([number]) * MEMORY_BYTES for number in range(3)]
    spool = asyncio.run(whole(arriving(*content), room, tmp_path))
    assert (spool.file.read(), spool.size_bytes) == (b"".join(content), 3 * MEMORY_BYTES)
    assert room.free_bytes == 7 * MEMORY_BYTES
    spool.close()
    spool.close()
    assert room.free_bytes == 10 * MEMORY_BYTES
    assert list(tmp_path.iterdir()) == []


def test_small_bodies_need_no_room(tmp_path: Path) -> None:
    spool = Spool(Room(0), tmp_path)
    spool.write(b"x" * MEMORY_BYTES)
    assert spool.size_bytes == MEMORY_BYTES


@pytest.mark.parametrize(
    ("ends", "problem"),
    [("gone", Gone), ("never", TooSlow), ("end", TooLarge)],
    ids=["gone", "slow", "large"],
)
def test_a_body_that_does_not_come_leaves_no_room_taken(
    tmp_path: Path, monkeypatch: Any, ends: str, problem: type[Exception]
) -> None:
    monkeypatch.setattr(bodies, "GRACE_SECONDS", 0.1)
    monkeypatch.setattr(bodies, "BODY_BYTES", 2 * MEMORY_BYTES if ends == "end" else 1 << 30)
    room = Room(10 * MEMORY_BYTES)
    with pytest.raises(problem):
        asyncio.run(whole(arriving(*[b"x" * MEMORY_BYTES] * 3, ends=ends), room, tmp_path))
    assert room.free_bytes == 10 * MEMORY_BYTES


def test_more_than_the_room_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoRoom):
        asyncio.run(whole(arriving(*[b"x" * MEMORY_BYTES] * 3), Room(MEMORY_BYTES), tmp_path))
