"""Prints of Kafka's tools beside a journal: what detectors and the report take from them, and from where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.spark.sources.prints_of_tools import (
    CLEANER,
    CONFIGS,
    EARLIEST,
    GROUPS,
    HANGING,
    LATEST,
    LIST,
    TOPICS,
)
from tests.spark.whole_pipeline import report_of


def line(offset: int, key: str | None, value: str | None, topic: str = "orders") -> str:
    members = {
        "topic": topic,
        "partition": 0,
        "offset": offset,
        "tstype": "create",
        "ts": 1_710_000_000_000 + offset,
    }
    return json.dumps({**members, "broker": 0, "key": key, "payload": value}) + "\n"


def report(folder: Path, dump: str, **prints: str) -> dict[str, Any]:
    (folder / "in").mkdir()
    (folder / "in" / "dump.json").write_text(dump)
    for name, text in prints.items():
        (folder / "in" / f"{name}.txt").write_text(text)
    return report_of(folder / "in", folder / "out")


def found(document: dict[str, Any], detector: str) -> list[dict[str, Any]]:
    return [finding for finding in document["findings"] if finding["detector"] == detector]


def not_run(document: dict[str, Any], detector: str) -> str | None:
    return next((one["why"] for one in document["not_run"] if one["detector"] == detector), None)


KEYLESS = line(0, "a", "1") + line(1, None, "2") + line(2, "b", "3")


def test_a_printed_policy_proves_that_the_topic_is_compacted(tmp_path: Path) -> None:
    document = report(tmp_path, KEYLESS, settings=CONFIGS["1.0"])
    (finding,) = found(document, "null-key")
    assert finding["evidence"] == [1]
    assert (
        "cleanup.policy was compact according to kafka-configs --describe (settings.txt)"
        in finding["explanation"]
    )


def test_a_printed_policy_without_compaction_tells_why_keyless_records_are_fine(tmp_path: Path) -> None:
    settings = CONFIGS["1.0"].replace("cleanup.policy=compact", "cleanup.policy=delete")
    document = report(tmp_path, KEYLESS, settings=settings)
    assert found(document, "null-key") == []
    why = not_run(document, "null-key") or ""
    assert "its cleanup.policy was delete, by kafka-configs --describe (settings.txt)" in why


def test_settings_of_another_topic_change_nothing(tmp_path: Path) -> None:
    document = report(tmp_path, KEYLESS, settings=CONFIGS["1.0"].replace("orders", "other"))
    assert found(document, "null-key") == []
    assert document["coverage"]["capture"] == []


def test_a_line_of_the_cleaner_proves_compaction_and_says_up_to_where(tmp_path: Path) -> None:
    document = report(tmp_path, KEYLESS, cleaner=CLEANER)
    (finding,) = found(document, "null-key")
    assert (
        "compacted it up to offset 42 (exclusive), according to lines of the log cleaner (cleaner.txt)"
        in finding["explanation"]
    )


def test_the_report_says_what_the_prints_tell_and_from_where_it_has_it(tmp_path: Path) -> None:
    document = report(
        tmp_path, KEYLESS, topics=TOPICS["4.1"], end=LATEST, start=EARLIEST, groups=GROUPS, hanging=HANGING, ids=LIST, log=CLEANER
    )  # fmt: skip
    said = document["coverage"]["capture"]
    assert any(
        "Settings of orders according to kafka-topics --describe (topics.txt): cleanup.policy=compact,delete"
        in text
        for text in said
    )
    assert (
        "orders-0 has leader 1, replicas 1, in-sync replicas 1, according to kafka-topics --describe (topics.txt)."
        in said
    )
    assert any(
        "orders-0 ends at offset 130" in text and "lacks the last 127 offsets" in text for text in said
    )
    assert any(
        "orders-0 starts at offset 42, according to GetOffsetShell (kafka-get-offsets) (start.txt)" in text
        for text in said
    )
    assert any(text.startswith("Group billing has committed offset 120 of orders-0") for text in said)
    assert any("producer 1000 in orders-0 hangs from offset 77" in text for text in said)
    assert any("Transactional ID mover-1 (producer 1000) is in state Ongoing" in text for text in said)
    assert any("compacted orders-0 up to offset 42 (exclusive) at 2024-03-11" in text for text in said)
    kinds = {file["name"]: file["kind"] for file in document["files"]}
    assert set(kinds.values()) == {"export", "companion"}


def test_a_schema_journal_whose_printed_policy_deletes_is_critical(tmp_path: Path) -> None:
    key = '{"keytype":"SCHEMA","subject":"s","version":1,"magic":1}'
    value = '{"subject":"s","version":1,"id":1,"schema":"\\"string\\"","deleted":false}'
    settings = CONFIGS["1.0"].replace("orders", "_schemas").replace("=compact", "=delete")
    document = report(tmp_path, line(0, key, value, "_schemas"), settings=settings)
    (finding,) = found(document, "retention-policy")
    assert finding["severity"] == "critical"
    assert "according to kafka-configs --describe (settings.txt)" in finding["explanation"]


def test_a_dump_that_names_no_topic_takes_the_settings_of_the_only_topic_named(tmp_path: Path) -> None:
    dump = '[{"offset":0,"key":"a","payload":"1"},{"offset":1,"key":null,"payload":"2"}]'
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    document = report(tmp_path / "one", dump, settings=CONFIGS["1.0"])
    (finding,) = found(document, "null-key")
    assert "the dump names no topic, and the prints name this one only" in finding["explanation"]
    several = CONFIGS["1.0"] + CONFIGS["1.0"].replace("orders", "other")
    assert found(report(tmp_path / "two", dump, settings=several), "null-key") == []
