"""Logs that end in an old format: since when, by which setting, and when it matters little."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from spark.detectors import detectors
from spark.detectors.log.old_format_tail import DORMANT_MS
from spark.terms.marked import plain
from tests.builders import batches_table, files_table, given_tables, lifelines_table, other_table
from tests.generator.segment import SOME_TIME_MS
from tests.spark.detectors.log.histories import log, of_magic

LAST_MS = SOME_TIME_MS + 9000


def other_topic_at(timestamp_ms: int) -> pa.Table:
    return lifelines_table({"topic": "other", "timestamp_ms": timestamp_ms})


def test_an_old_tail_names_the_settings_and_since_when(inspect: Any) -> None:
    batches = batches_table(of_magic(2, leader_epoch=7, last_offset=9), of_magic(1, last_offset=19))
    (finding,) = inspect("old-format-tail", batches=batches)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("medium", 10, 19)
    for words in ("log.message.format.version", "inter.broker.protocol.version", "leader epoch 7", "UTC"):
        assert words in finding.explanation


def test_a_log_old_all_along_is_old_in_every_batch(inspect: Any) -> None:
    (finding,) = inspect(batches=log(1))
    assert (finding.detector, finding.first_offset, finding.last_offset) == ("old-format-tail", 0, 9)
    assert "in every batch" in finding.title
    assert "Either the broker is older than 0.11" in finding.explanation
    assert "fails in the producer itself" in finding.explanation


def test_two_old_formats_are_both_named(inspect: Any) -> None:
    (finding,) = inspect(
        "old-format-tail", batches=batches_table(of_magic(0, last_offset=9), of_magic(1, last_offset=19))
    )
    assert "message formats 0 and 1 in every batch" in finding.title


@pytest.mark.parametrize("name", ["leader-epoch-checkpoint", "00000000000000000010.snapshot"])
def test_files_of_newer_brokers_leave_only_the_settings(inspect: Any, name: str) -> None:
    files = files_table({}, {"name": f"journal-0/{name}", "kind": "companion"})
    (finding,) = inspect(batches=log(1), files=files)
    assert "The broker is version 0.11 or later" in finding.explanation
    assert "fails in the producer itself" not in finding.explanation


@pytest.mark.parametrize(
    ("newest_ms", "severity"),
    [(LAST_MS + DORMANT_MS - 1, "medium"), (LAST_MS + DORMANT_MS, "low"), (SOME_TIME_MS * 1000, "medium")],
    ids=["a millisecond short of two years", "two years", "no time at all"],
)
def test_a_log_nobody_writes_any_more_is_low(inspect: Any, newest_ms: int, severity: str) -> None:
    (finding,) = inspect("old-format-tail", batches=log(1), lifelines=other_topic_at(newest_ms))
    assert finding.severity == severity


def test_format_0_tells_no_time_and_stays_medium(inspect: Any) -> None:
    lifelines = other_topic_at(LAST_MS + 2 * DORMANT_MS)
    (finding,) = inspect("old-format-tail", batches=log(0), lifelines=lifelines)
    assert finding.severity == "medium"


@pytest.mark.parametrize("magics", [(2,), (0, 1, 2), (2, 1, 2)], ids=str)
def test_a_tail_of_format_2_is_fine(inspect: Any, magics: tuple[int, ...]) -> None:
    assert inspect("old-format-tail", batches=log(*magics)) == []


def captured(**told: Any) -> pa.Table:
    return other_table("captures", {"release": "2.8 to 3.0", **told}, topic="journal")


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (
            {"message_format_version": "0.10.2-IV0", "inter_broker_protocol_version": "2.8"},
            "message.format.version=0.10.2-IV0 and inter.broker.protocol.version=2.8. With these settings it writes message format 1",
        ),
        ({"message_format_version": "2.8"}, "With these settings it would write message format 2"),
        ({"message_format_version": "latest"}, "The broker is version 0.11 or later"),
    ],
    ids=["that explain it", "that do not", "that cannot be read"],
)
def test_of_a_captured_log_it_names_the_settings_that_hold(
    inspect: Any, told: dict[str, str], said: str
) -> None:
    (finding,) = inspect("old-format-tail", batches=log(1), captures=captured(**told))
    assert said in finding.explanation
    assert "fails in the producer itself" not in finding.explanation


def test_the_captures_time_is_now(inspect: Any) -> None:
    captures = captured(captured_at_ms=LAST_MS + DORMANT_MS)
    (finding,) = inspect("old-format-tail", batches=log(1), captures=captures)
    assert finding.severity == "low"


@pytest.mark.parametrize("name", ["format-upgrade", "format-downgrade", "format-flapping", "old-format-tail"])
def test_converted_batches_tell_nothing_of_the_brokers_disk(name: str) -> None:
    formats = other_table(
        "formats", {"number": 0, "magic": 1, "first_offset": 0, "last_offset": 9, "batches": 1}
    )
    captures = captured(is_converted=True, fetch_version=3)
    converted = given_tables({"formats": formats, "captures": captures})
    assert "converted batches to an older format for the capture (Fetch version 3)" in plain(
        detectors()[name].absent(converted) or ""
    )
    assert detectors()[name].find(converted) == []
    assert detectors()[name].absent(given_tables({"formats": formats, "captures": captured()})) is None
    both = pa.concat_tables([formats, other_table("formats", {"number": 0, "magic": 2}, partition=1)])
    assert detectors()[name].absent(given_tables({"formats": both, "captures": captures})) is None
