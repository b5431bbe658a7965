"""Starts of schema registries: what they write, what they hold, and the record that stops them."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.dialects import ReleaseCannotStart
from spark.dialects.schema_registry.starts import start
from spark.simulation.log import SimulatedLog
from tests.spark.dialects.schema_registry.journals import Parts, compact, schema
from tests.spark.repair.schema_registry.journals import NOOP, inspected, numbered

FOREIGN: Parts = (compact({"keytype": "FOREIGN", "magic": 0}), b"{}")


def log_of(folder: Path, *records: Parts, first: int = 0) -> SimulatedLog:
    """Records from an offset on as a log that a registry starts on."""
    (journal,) = inspected(numbered(*records, first=first), folder, "journal").journals()
    return journal.log()


@pytest.mark.parametrize(
    ("profile", "writes"), [("confluent", ["NOOP", "NOOP"]), ("karapace", []), ("redpanda", [])]
)
def test_confluent_alone_writes_at_its_start(tmp_path: Path, profile: str, writes: list[str]) -> None:
    started = start(log_of(tmp_path, NOOP, schema("a-value")), profile)
    assert [one.what for one in started.writes] == writes
    assert list(started.state) == [("schema", "a-value/1")]


def test_the_record_that_stops_a_start_is_named_with_its_offset(tmp_path: Path) -> None:
    log = log_of(tmp_path, NOOP, FOREIGN, schema("a-value"), first=40)
    with pytest.raises(
        ReleaseCannotStart, match="The record at offset 41 stops it: its key has a keytype"
    ) as stop:
        start(log, "confluent")
    assert stop.value.position == 1
    assert list(start(log, "karapace").state) == [("schema", "a-value/1")]


def test_redpanda_compares_the_sequence_with_the_offset_and_not_with_the_position(tmp_path: Path) -> None:
    own = schema("a-value", in_key={"seq": 41, "node": 1})
    lost = schema("b-value", in_key={"seq": 1, "node": 1})
    started = start(log_of(tmp_path, NOOP, own, lost, first=40), "redpanda")
    assert list(started.state) == [("schema", "a-value/1")]
    assert started.rejected == {2: "lost-the-race"}


def test_an_unknown_registry_is_answered_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(ReleaseCannotStart, match="confluent, redpanda, karapace"):
        start(log_of(tmp_path, NOOP), "8.0")
