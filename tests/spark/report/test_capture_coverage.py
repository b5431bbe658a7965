"""What the report says of a capture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spark.report.capture_coverage import MAX_EVENTS, MAX_PARTITIONS, sentences
from tests.spark.captures import manifest, partition, write_capture
from tests.spark.log_folders import tables_of
from tests.spark.transaction_logs import plain
from tests.spark.whole_pipeline import report_of


def said(folder: Path, *partitions: dict[str, Any], **other: Any) -> list[str]:
    segments: dict[str | int, list[bytes]] = {
        f"journal-{one['partition']}/{one['got']['first_offset']:020}.log": [
            plain(one["got"]["first_offset"])
        ]
        for one in partitions
    }
    folder = write_capture(folder, manifest(*partitions, **other), segments)
    return sentences(tables_of(folder, folder.parent / "results"))


def test_who_captured_what_and_when_comes_first(tmp_path: Path) -> None:
    first, second = said(tmp_path / "a", partition(0), partition(1))
    assert first == "Captured from shop by ada at 2024-02-08 01:00:00 UTC: 2 partitions of journal."
    assert second == "Captured completely: journal-0 and journal-1."


def test_what_was_not_got_is_said_with_its_reason(tmp_path: Path) -> None:
    got = {"first_offset": 5, "next_offset": 8, "batches": 1, "size_bytes": 1}
    short = partition(first=5, end=10, stopped_by="broker-gone", got=got, high_watermark=12)
    _, one, whole = said(tmp_path / "a", short, partition(1))
    assert one == (
        "journal-0: requested offsets 5-9, captured offsets 5-7. The broker had offsets 0-11. The capture ended "
        "early: the broker did not respond."
    )
    assert whole == "Captured completely: journal-1."


def test_events_conversions_and_what_was_not_asked(tmp_path: Path) -> None:
    event = {"kind": "leader-changed", "at_ms": 1, "offset": None, "says": "Broker 2 leads from offset 5 on."}
    told = said(
        tmp_path / "a",
        partition(events=[event], is_converted=True),
        not_asked=[{"question": "DescribeProducers", "why": "Broker 1 has no such request."}],
    )
    assert told[2:] == [
        "The broker converted batches of journal-0 to an older message format. The message format on its disk is unknown.",
        "journal-0: Broker 2 leads from offset 5 on.",
        "Not requested: DescribeProducers: Broker 1 has no such request.",
    ]


def test_many_are_counted(tmp_path: Path) -> None:
    event = {"kind": "high-watermark-moved", "at_ms": 1, "says": "More was written."}
    short = [
        partition(number, stopped_by="limit", events=[event] * 2) for number in range(MAX_PARTITIONS + 1)
    ]
    told = said(tmp_path / "a", *short)
    assert "1 more partition is incomplete." in told
    assert told[-1] == f"{2 * len(short) - MAX_EVENTS} more events."


def test_the_report_says_it_and_stays_healthy(tmp_path: Path) -> None:
    folder = write_capture(tmp_path / "a", manifest(partition(first=5, end=7)), {5: [plain(5), plain(6)]})
    report = report_of(folder, tmp_path / "results")
    assert report["coverage"]["capture"][1].startswith("journal-0: requested offsets 5-6")
    assert report["verdict"]["level"] == "healthy"
    assert report["findings"] == []


def test_a_report_on_other_files_says_nothing_of_a_capture(tmp_path: Path) -> None:
    (tmp_path / "a" / "journal-0").mkdir(parents=True)
    (tmp_path / "a" / "journal-0" / "00000000000000000000.log").write_bytes(plain(0))
    assert report_of(tmp_path / "a", tmp_path / "results")["coverage"]["capture"] == []
