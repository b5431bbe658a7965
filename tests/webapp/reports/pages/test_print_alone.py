"""Pages of a report on the output of a tool: alone, without a journal and a record, and beside what is of another topic or several replicas."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.generator.segment import Record, batch, segment_name
from tests.spark.log_folders import write
from tests.spark.whole_pipeline import report_of
from tests.webapp.reports.test_content_limits import PAGES

pytestmark = pytest.mark.pipeline
TEXTS = {
    "leaderless": (
        "Topic: orders\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: min.insync.replicas=1\n"
        "\tTopic: orders\tPartition: 0\tLeader: none\tReplicas: 1,2\tIsr: 2\n"
        "\tTopic: orders\tPartition: 1\tLeader: none\tReplicas: 2,1\tIsr: 2\n",
        "2 of 2 partitions of orders are offline: only broker 2 can lead them without lost records",
    ),
    "one leaderless": (
        "\tTopic: orders\tPartition: 3\tLeader: none\tReplicas: 1,2\tIsr: 2\n",
        "Partition orders-3 is offline: only broker 2 can lead it without lost records",
    ),
    "groups": (
        "\tTopic: __consumer_offsets\tPartition: 7\tLeader: none\tReplicas: 1,2\tIsr: 2\n",
        "Partition __consumer_offsets-7 is offline: only broker 2 can lead it without lost records",
    ),
    "beyond the end": (
        "GROUP    TOPIC   PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST  CLIENT-ID\n"
        "billing  orders  0          120             100             -20  -            -     -\n",
        "Group billing has committed offset 120 in orders-0, 20 beyond the reported end (100)",
    ),
}
VICTIMS = {
    "leaderless": ("producers and consumers of partitions 0-1 of orders", "cannot write or read"),
    "one leaderless": ("producers and consumers of orders-3", "cannot write or read"),
    "groups": ("groups whose offsets are in __consumer_offsets-7", "cannot join, fetch or commit offsets"),
    "beyond the end": ("group billing in orders-0", "can skip or repeat records, or fail"),
}


DUMP = b'{"topic":"%s","partition":0,"offset":0,"tstype":"create","ts":1710155643772,"broker":1,"key":"k","payload":"v"}\n'
LOG = batch([Record(b"k", b"v", 1710155643772)], 0)
BESIDE: dict[str, dict[str, bytes]] = {
    "nothing": {},
    "a dump of another topic": {"./dump.json": DUMP % b"payments"},
    "two replicas": {f"broker-{number}/orders-0/{segment_name(0)}": LOG for number in (1, 2)},
}
CASES = [
    *((name, "nothing") for name in TEXTS),
    ("leaderless", "a dump of another topic"),
    ("beyond the end", "two replicas"),
]


@pytest.mark.parametrize(("name", "beside"), CASES)
def test_every_page_answers_and_the_overview_says_it(
    name: str, beside: str, inspected: Callable[..., Any], owner: Any, sign_in: Any
) -> None:
    text, title = TEXTS[name]

    def made(results: Path) -> Path:
        report_of(write(results.parent / "input", {"./print.txt": text.encode(), **BESIDE[beside]}), results)
        return results

    inspection, client = inspected(made), sign_in(owner)
    for path in PAGES:
        assert client.get(f"/inspections/{inspection.pk}/report/{path}").status_code == 200, path
    overview = client.get(f"/inspections/{inspection.pk}/report/").content.decode()
    for word in title.split():
        assert word.strip(":()") in overview
    assert "Healthy" not in overview
    assert VICTIMS[name][0] in overview
    assert VICTIMS[name][1] in overview or name == "leaderless"  # the headline says it of all victims
    tabs = re.findall(
        r'class="nav-link[^>]*>([^<]+)</a>', overview.split('aria-label="Report"')[1].split("</nav>")[0]
    )
    assert (tabs == ["Overview", "SQL", "Files"]) == (beside == "nothing")
    if beside == "nothing":
        for path in ("timeline/", "records/", "keys/", "state/", "transactions/", "log/", "profile/"):
            page = client.get(f"/inspections/{inspection.pk}/report/{path}").content.decode()
            assert "contains no records." in page, path
            assert "could be read" not in page
        assert ('<th scope="col">Proof</th>' in overview, "the records that prove" in overview) == (
            False,
            False,
        )
