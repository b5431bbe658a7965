"""Shares of what tools printed: the tabs of the report, and its title; Kafka's own topics have no name to hide."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.spark.log_folders import write
from tests.spark.whole_pipeline import report_of
from webapp.sharing.scopes import Scope

pytestmark = [pytest.mark.django_db, pytest.mark.heavy]
HEAD = "Topic: {topic}\tPartitionCount: 50\tReplicationFactor: 3\tConfigs: cleanup.policy=compact,segment.bytes=104857600\n"
LINE = "\tTopic: {topic}\tPartition: {number}\tLeader: none\tReplicas: 1002,1003,1001\tIsr: 1003\n"


def described(topic: str) -> Any:
    """Results of the output of kafka-topics --describe."""
    text = HEAD.format(topic=topic) + "".join(LINE.format(topic=topic, number=number) for number in (0, 1))

    def make(folder: Path) -> Path:
        report_of(write(folder.with_name(f"{folder.name}-input"), {"describe.txt": text.encode()}), folder)
        return folder

    return make


def tabs(page: str) -> list[str]:
    (bar,) = re.findall(r'<nav class="report-tabs".*?</nav>', page, re.DOTALL)
    return re.findall(r"<a [^>]*>([^<]+)</a>", bar)


@pytest.mark.parametrize("names", [True, False])
def test_a_share_has_the_title_and_the_tabs_of_its_report(
    inspected: Any, share: Any, guest: Client, names: bool
) -> None:
    _, token = share(inspected(described("orders")), names=names)
    page = guest.get(f"/s/{token}/").content.decode()
    assert '<p class="share-name">Output of kafka-topics --describe' in page
    assert tabs(page) == ["Overview", "Files"]
    assert ("of orders are offline" in page) is names
    assert ("of topic-1 are offline" in page) is not names


def test_a_link_to_its_finding_has_the_overview_alone(inspected: Any, share: Any, guest: Client) -> None:
    inspection = inspected(described("orders"))
    (finding,) = json.loads((inspection.results / "report.json").read_text())["findings"]
    _, token = share(inspection, Scope("finding", finding["id"]))
    assert tabs(guest.get(f"/s/{token}/").content.decode()) == ["Overview"]


def test_kafkas_own_topics_are_no_names(inspected: Any, share: Any, guest: Client) -> None:
    _, token = share(inspected(described("__consumer_offsets")), names=False, payloads=False, keys=False)
    page = guest.get(f"/s/{token}/").content.decode()
    assert "2 of 50 partitions of __consumer_offsets are offline" in page
    assert "topic-1" not in page
    assert "&quot;topic&quot;: &quot;__consumer_offsets&quot;, &quot;partition&quot;: 0" in page
    assert "Not for copying" not in page


def test_a_topic_is_called_the_same_in_sentences_and_as_a_victim(
    inspected: Any, share: Any, guest: Client
) -> None:
    text = (
        "Group   Topic   Pid Offset  logSize  Lag    Owner\n"
        "billing orders  0   2020    1611     -409   none\nbilling orders  1   5  9  4   none\n"
    )

    def make(folder: Path) -> Path:
        report_of(write(folder.with_name(f"{folder.name}-input"), {"groups.txt": text.encode()}), folder)
        return folder

    _, token = share(inspected(make), names=False)
    page = guest.get(f"/s/{token}/").content.decode()
    assert re.search(r"Group name-\w+ has committed offset 2020 in topic-1-0", page)
    assert re.search(r"group name-\w+ in topic-1-0<", page)
    assert not re.search("orders|billing", page)
