"""A journal of hostile contents through the whole pipeline: each page takes less than a second and little memory.

Seconds are those of the processor, so that a busy machine does not count.
"""

from __future__ import annotations

import gc
import json
import os
import re
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.spark.whole_pipeline import report_of
from tests.webapp.reports.conftest import inspected
from tests.webapp.reports.test_content_limits import MEGABYTE, PAGES

__all__ = ["inspected"]
pytestmark = pytest.mark.slow
MAX_SECONDS, MAX_BYTES = 1.0, 300 << 20
API_SECONDS = 3.0  # for an answer of 39 MB


def line(offset: int, key: str, payload: str, **more: Any) -> str:
    """As kcat -J prints it."""
    row = {
        "topic": "connect-configs",
        "partition": 0,
        "tstype": "create",
        "ts": 1700000000000 + offset,
        "offset": offset,
        "key": key,
    }
    return json.dumps(row | more | {"payload": payload})  # fmt: skip


def journal(folder: Path) -> Path:
    """A connector of 110,000 settings, one of a setting of 5 MB, 100,000 headers, a key of 1 MB, a broken value of 5 MB."""
    settings = {"connector.class": "x", "name": "a", **{f"p{n}": "<b>" * 10 for n in range(110_000)}}
    long = {"connector.class": "x", "name": "b", "long": "w" * 5 * MEGABYTE}
    headers = [word for n in range(100_000) for word in (f"header-{n}", f"<i>{n}")]
    lines = [
        line(0, "connector-a", json.dumps({"properties": settings})),
        line(1, "connector-b", json.dumps({"properties": long})),
        line(2, "connector-a", json.dumps({"properties": settings | {"p5": "other"}}), headers=headers),
        line(3, "task-a-0", json.dumps({"properties": {"task.class": "y"}})),
        line(4, "k" * MEGABYTE, "x"),
        line(5, "connector-c", "{" + "x" * 5 * MEGABYTE),
    ]
    (folder.parent / "dump").mkdir(parents=True)
    (folder.parent / "dump/dump.json").write_text("\n".join(lines) + "\n")
    report_of(folder.parent / "dump", folder)
    return folder


@pytest.fixture
def client(owner: Any, sign_in: Any) -> Any:
    return sign_in(owner)


def resident_bytes() -> int:
    """Of this process, by Linux."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def cost(client: Any, address: str) -> tuple[float, int, int]:
    """Seconds, bytes of memory and bytes of the answer; of the better of two times."""
    told = []
    for _ in range(2):
        gc.collect()  # what the page before left is not of this one
        memory, began = resident_bytes(), time.process_time()
        answer = client.get(address)
        assert answer.status_code == 200, address
        size_bytes = len(answer.content)
        told.append((time.process_time() - began, resident_bytes() - memory, size_bytes))
    return min(told)


def addresses(client: Any, root: str) -> Iterator[str]:
    """Every page, those of keys, entities and branches too."""
    yield from (f"{root}{path}" for path in PAGES)
    for page, part in (
        ("keys/", r"report/keys/[0-9a-f]{32}/"),
        ("state/", r"report/state/(?:entity|branch)/"),
    ):
        text = client.get(f"{root}{page}").content.decode()
        yield from sorted({unescape(found) for found in re.findall(rf'="([^"]*{part}[^"]*)"', text)})


@pytest.mark.long
def test_each_page_takes_less_than_a_second_and_300_mb(inspected: Any, client: Any) -> None:
    made = inspected(journal)
    root = f"/inspections/{made.pk}/report/"
    costs = {address: cost(client, address) for address in addresses(client, root)}
    assert sum("/entity/" in address for address in costs) >= 2
    assert {address: told for address, told in costs.items() if told[0] > MAX_SECONDS} == {}
    assert {address: told for address, told in costs.items() if told[1] > MAX_BYTES} == {}
    assert {address: told for address, told in costs.items() if told[2] > MEGABYTE} == {}
    seconds, memory, _ = cost(client, f"/api/v1/inspections/{made.pk}/records/2/")
    assert (seconds < API_SECONDS, memory < MAX_BYTES) == (True, True), (seconds, memory)
    assert "more fields are not shown" not in client.get(f"{root}records/3/").content.decode()
