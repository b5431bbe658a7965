"""A log in memory: positions, records put in and left out, compaction."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from spark.dialects import LogRecord, dialects
from spark.simulation.log import InspectedLog, SimulatedLog
from spark.sources import InputFile
from spark.tables import Manifest
from tests.generator.apicurio import healthy, incident
from tests.generator.dumps import kcat_base64
from tests.spark.whole_pipeline import report_on

DIALECT = dialects()["apicurio-v2"]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> SimulatedLog:
    """A made-up journal."""
    return log_of(tmp_path_factory.mktemp("journal"), kcat_base64(incident(2, "at_risk")))


def log_of(folder: Path, dump: bytes) -> SimulatedLog:
    """An inspected dump as a log."""
    path = folder / "journal.json"
    path.write_bytes(dump)
    report = report_on([InputFile(path.name, str(path), path.stat().st_size)], folder / "results")
    replica = (report["journals"][0]["topic"], 0, "")
    assert DIALECT.interpret is not None
    return SimulatedLog.of(InspectedLog(Manifest.load(folder / "results"), replica, DIALECT.interpret))


def keys(log: SimulatedLog) -> list[bytes]:
    """Every key in order."""
    return [log.key(position) for position in range(len(log))]


def positions(log: SimulatedLog) -> list[int]:
    """The positions that the entries have."""
    return [row for portion in log.entries() for row in portion.column("offset").to_pylist()]


def test_every_record_has_its_entry_at_its_position(log: SimulatedLog) -> None:
    assert positions(log) == list(range(len(log)))


def test_appended_records_come_last(log: SimulatedLog) -> None:
    longer = log.appended([LogRecord(b"\x03{}", None), LogRecord(b"\x06{}", b"\x06{}")])
    assert keys(longer) == [*keys(log), b"\x03{}", b"\x06{}"]
    assert positions(longer) == list(range(len(log) + 2))
    assert longer.offset(len(log)) is None


def test_edits_stand_where_they_were_put(log: SimulatedLog) -> None:
    first, last = log.offset(0), log.offset(len(log) - 1)
    assert first is not None
    assert last is not None
    new = [LogRecord(bytes([3, number]), None) for number in range(3)]
    edited = log.edited({first: new[:1]}, {last: new[1:2], first: new[2:]}, [first])
    assert keys(edited) == [new[0].key, new[2].key, *keys(log)[1:], new[1].key]
    assert positions(edited) == list(range(len(edited)))


def test_compaction_keeps_the_last_record_of_each_key_and_no_tombstone(log: SimulatedLog) -> None:
    gone, kept = log.key(3), log.key(5)
    longer = log.appended([LogRecord(gone, None), LogRecord(kept, b"\x03{}")])
    compacted = longer.compacted()
    assert gone not in keys(compacted)
    assert keys(compacted)[-1] == kept
    assert len(set(keys(compacted))) == len(compacted)
    assert all(compacted.value(position) is not None for position in range(len(compacted)))


def test_what_the_cleaner_has_not_come_to_stays(log: SimulatedLog) -> None:
    gone = log.key(3)
    longer = log.appended([LogRecord(gone, None)])
    assert gone in keys(longer.compacted(end=len(log)))


def test_compacted_twice_is_compacted_once(log: SimulatedLog) -> None:
    once = log.appended([LogRecord(log.key(4), b"\x03{}")]).compacted()
    assert keys(once.compacted()) == keys(once)


def test_portions_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = log_of(tmp_path, kcat_base64(healthy(7)))
    edits = [LogRecord(whole.key(2), None)] * 3
    expected = [one.to_pylist() for one in whole.appended(edits).compacted().entries()]
    portions = whole.inspected.portions

    def single() -> object:
        for numbers, rows in portions():
            for at in range(len(numbers)):
                yield numbers[at : at + 1], rows.slice(at, 1)

    monkeypatch.setattr(whole.inspected, "portions", single)
    found = [one.to_pylist() for one in whole.appended(edits).compacted().entries()]
    assert list(chain.from_iterable(found)) == list(chain.from_iterable(expected))
