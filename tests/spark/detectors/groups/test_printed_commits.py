"""Committed offsets beyond the end of their log, in the output of tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.terms.errors import UnreadableInput
from tests.generator.segment import Record, batch, segment_name
from tests.spark.log_folders import write
from tests.spark.sources.prints_of_tools import GROUPS, RPK_GROUPS
from tests.spark.whole_pipeline import report_of

ID = "commit-out-of-range"
CHECKER = """Group     Topic   Pid Offset  logSize  Lag    Owner
billing   orders  0   2020    1611     -409   none
billing   orders  1   3787    1678     -2109  none
"""
HEADER = (
    "GROUP    TOPIC   PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST       CLIENT-ID\n"
)


def row(committed: int, end: int, member: str = "-") -> str:
    return f"billing  orders  0  {committed}  {end}  {end - committed}  {member}  -  -\n"


def record(offset: int) -> dict[str, Any]:
    return {"topic": "orders", "partition": 0, "offset": offset, "tstype": "create", "ts": 1710155643772, "broker": 1, "key": "k", "payload": "v"}  # fmt: skip


def report(folder: Path, *offsets: int, **prints: str) -> dict[str, Any]:
    files = {f"{name}.txt": text.encode() for name, text in prints.items()}
    if offsets:
        files["dump.json"] = "".join(f"{json.dumps(record(offset))}\n" for offset in offsets).encode()
    return report_of(write(folder / "input", files), folder / "results")


def found(document: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (one["severity"], one["confidence"], one["title"])
        for one in document["findings"]
        if one["detector"] == ID
    ]


def test_the_old_tool_alone_makes_a_report(tmp_path: Path) -> None:
    document = report(tmp_path, checker=CHECKER)
    first, second = found(document)
    assert (first[:2], second[:2]) == (("medium", "likely"), ("medium", "likely"))
    assert (
        first[2] == "Group billing has committed offset 2020 in orders-0, 409 beyond the reported end (1611)"
    )
    assert document["journals"] == []
    assert document["verdict"]["level"] == "medium"
    assert document["verdict"]["sentence"] == (
        "2 committed offsets are beyond the reported ends of their logs: consumers can skip or repeat records, or fail. "
        "The output of kafka-consumer-offset-checker contains no records."
    )


def test_only_the_steps_for_the_old_tool_fit_offsets_in_zookeeper(tmp_path: Path) -> None:
    in_zookeeper = "`zookeeper-shell.sh ZOOKEEPER:2181 set /consumers/billing/offsets/orders/0 OFFSET`"
    for name, text, is_old in (("old", CHECKER, True), ("new", HEADER + row(3787, 1678), False)):
        remedies = [
            one["remedy"]
            for one in report(tmp_path / name, **{name: text})["findings"]
            if one["detector"] == ID
        ]
        assert (in_zookeeper in remedies[0]) == is_old
        assert all("--reset-offsets --to-offset OFFSET" in remedy for remedy in remedies)


def test_rpk_names_the_group_above_its_rows(tmp_path: Path) -> None:
    ((severity, _, title),) = found(report(tmp_path, rpk=RPK_GROUPS))
    assert severity == "medium"
    assert title.startswith("Group mover has committed offset 144424 in orders-0, ")


@pytest.mark.parametrize(("member", "severity"), [("c-1", "low"), ("-", "medium")])
@pytest.mark.parametrize("committed", [101, 5_000])
def test_a_member_can_be_ahead_of_a_new_leader_by_any_number_of_records(
    committed: int, member: str, severity: str, tmp_path: Path
) -> None:
    document = report(tmp_path, groups=HEADER + row(committed, 100, member))
    assert [finding[:2] for finding in found(document)] == [(severity, "likely")]
    (finding,) = document["findings"]
    assert finding["remedy"].startswith("1. Run the tool again.")
    assert "Right after a change of the leader" in finding["explanation"]
    assert finding["effects"][0] | {"kind": "at_risk", "whom": "consumers"} == finding["effects"][0]


def test_it_says_which_partitions_no_member_owned_and_the_lag_of_the_others(tmp_path: Path) -> None:
    text = CHECKER.splitlines()[0] + (
        "\norders  payments  0  1500  1200  -300  none\norders  payments  1  980  1010  30  orders_host1-1\n"
        "orders  payments  2  777  777  0  none\nother  payments  3  5  9  4  none\n"
    )
    document = report(tmp_path, checker=text)
    (finding,) = document["findings"]
    assert "When the tool ran, no member owned payments-0 and payments-2." in finding["explanation"]
    assert "The output also has payments-1 (lag 30) and payments-2 (lag 0)." in finding["explanation"]
    said = " ".join(document["coverage"]["capture"])
    assert "has committed offset 980 of payments-1 (end 1010, lag 30)" in said
    assert "has committed offset 1500 of payments-0 (end 1200, 300 beyond it)" in said


def test_an_output_without_a_column_of_members_says_nothing_of_them(tmp_path: Path) -> None:
    text = "GROUP  TOPIC  PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG\nbilling  orders  0  120  100  -20\n"
    (finding,) = report(tmp_path, groups=text)["findings"]
    assert "When the tool ran" not in finding["explanation"]


def test_a_consumer_that_commits_to_both_needs_the_offset_in_both(tmp_path: Path) -> None:
    remedy = report(tmp_path, checker=CHECKER)["findings"][0]["remedy"]
    both = "With kafka and dual.commit.enabled=true (its default), set the offset in ZooKeeper and in Kafka"
    assert both in remedy
    assert remedy.index(both) < remedy.index("zookeeper-shell.sh") < remedy.index("--reset-offsets")


def test_without_a_fault_the_output_alone_is_refused_as_before(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"contains no records\. Send a dump of the topic orders"):
        report(tmp_path, groups=GROUPS)


def test_beside_a_dump_the_log_is_the_dumps(tmp_path: Path) -> None:
    document = report(tmp_path, 0, 1, groups=HEADER + row(120, 100))
    assert [one[0] for one in found(document)] == ["medium"]
    assert [one["verdict"]["level"] for one in document["journals"]] == ["medium"]
    # a commit beyond the end does not prove that the log had records up to there
    assert not any("119" in one["title"] for one in document["findings"])


def test_innocent(tmp_path: Path) -> None:
    newer = report(tmp_path / "a", 0, 119, 120, groups=HEADER + row(120, 100))
    assert found(newer) == []
    later = report(tmp_path / "b", 0, a=HEADER + row(120, 100), b=HEADER + row(90, 100))
    assert found(later) == []
    last_block = report(tmp_path / "c", 0, groups=HEADER + row(120, 100) + "\n" + HEADER + row(100, 100))
    assert found(last_block) == []


def test_a_commit_is_of_no_replica(tmp_path: Path) -> None:
    log = batch([Record(b"k", b"v", 1710155643772)], 0)
    files = {f"broker-{number}/orders-0/{segment_name(0)}": log for number in (1, 2)}
    folder = write(tmp_path / "input", {**files, "./groups.txt": (HEADER + row(120, 100)).encode()})
    (finding,) = [one for one in report_of(folder, tmp_path / "results")["findings"] if one["detector"] == ID]
    assert (finding["replica"], finding["partition"]) == ("", 0)
    assert "replica" not in finding["title"]
    assert "Of 2 replicas" not in finding["explanation"]
