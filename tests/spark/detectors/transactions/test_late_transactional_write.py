"""Data that came after its transaction; the ways in which epochs rise by themselves are innocent."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.detectors.transactions.late_transactional_write import detector
from tests.spark.transaction_logs import (
    CORPUS,
    NO_CORPUS,
    abort,
    commit,
    data,
    findings,
    log,
    plain,
    read_logs,
    state,
)  # fmt: skip


def test_an_epoch_older_than_the_marker_before_it_is_late(tmp_path: Path) -> None:
    rows = [data(0, epoch=17), abort(1, epoch=18), data(2, epoch=17, keys=b"ab")]
    (finding,) = findings(detector, read_logs(log(tmp_path, rows)))
    assert (finding.severity, finding.confidence) == ("high", "proven")
    assert (finding.first_offset, finding.last_offset) == (2, 3)
    assert "after producer epoch 18 started" in finding.title


@pytest.mark.parametrize(
    "rows",
    [
        [data(0, epoch=17), abort(1, epoch=18), data(2, epoch=19), commit(3, epoch=19)],
        [data(0, epoch=0), commit(1, epoch=1), data(2, epoch=1), abort(3, epoch=2), data(4, epoch=2), commit(5, epoch=3)],
        [data(0, epoch=5), abort(1, epoch=5), data(2, epoch=5), commit(3, epoch=5)],
        [data(0, 1, epoch=9), data(1, 2, epoch=0), commit(2, 1, epoch=9), commit(3, 2, epoch=0)],
    ],
    ids=["fenced by a new producer", "KIP-890", "own abort of the old protocol", "two producers"],
)  # fmt: skip
def test_epochs_that_rise_by_themselves_are_innocent(tmp_path: Path, rows: list[bytes]) -> None:
    assert findings(detector, read_logs(log(tmp_path, rows))) == []


def late(minutes: float) -> list[bytes]:
    return [data(0), commit(1), data(2), plain(3, minutes)]


def test_data_after_its_marker_that_the_coordinator_does_not_know_is_late(tmp_path: Path) -> None:
    log(tmp_path, [state(0, 4, partitions=())], name="__transaction_state-0")
    (finding,) = findings(detector, read_logs(log(tmp_path, late(20))))
    assert (finding.first_offset, finding.confidence) == (2, "proven")
    assert finding.title.endswith(
        "stop at offset 2, 2 records hidden: producer 0 wrote after its transaction ended"
    )


def test_without_the_coordinators_journal_data_that_is_older_than_its_marker_is_likely(
    tmp_path: Path,
) -> None:
    rows = [data(0), commit(1, minutes=1), data(2), plain(3, 20)]
    (finding,) = findings(detector, read_logs(log(tmp_path, rows)))
    assert finding.confidence == "likely"
    assert "before the marker" in finding.explanation
    assert "treats them as a new transaction" in finding.explanation
    assert "KIP-890 names two possible causes" in finding.explanation
    assert (
        "Warning: after an abort, read_committed consumers never get the records that you saved. If the transaction is open, abort it: "
        in finding.remedy
    )


def test_without_it_younger_data_can_be_the_next_transaction(tmp_path: Path) -> None:
    rows = [data(0), commit(1, minutes=1), data(2, minutes=2), plain(3, 20)]
    assert findings(detector, read_logs(log(tmp_path, rows))) == []


def test_what_is_young_or_known_is_the_next_transaction(tmp_path: Path) -> None:
    assert findings(detector, read_logs(log(tmp_path / "young", late(15)))) == []
    log(tmp_path / "known", [state(0, 1)], name="__transaction_state-0")
    assert findings(detector, read_logs(log(tmp_path / "known", late(20)))) == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)
def test_the_late_batch_of_a_real_broker() -> None:
    (finding,) = findings(detector, read_logs(CORPUS / "brokers" / "hanging-transaction-2.8.2"))
    assert (finding.partition, finding.first_offset, finding.last_offset) == (0, 60, 61)


def test_saving_finding_aborting_and_producing_again_are_steps_with_a_command_each(tmp_path: Path) -> None:
    log(tmp_path, [state(0, 4, partitions=())], name="__transaction_state-0")
    (finding,) = findings(detector, read_logs(log(tmp_path, late(20))))
    steps = finding.remedy.split("\n")
    place = "-b BROKER:9092 -t t -p 0"
    assert len(steps) == 6
    assert (
        f"`kcat -C {place} -o 2 -c 1 -e -q -X isolation.level=read_uncommitted -K =KEY= -D =END= > t-0-2.txt`"
        in steps[1]
    )
    assert "find-hanging --topic t --partition 0`" in steps[2]
    assert "abort --topic t --partition 0 --start-offset 2`" in steps[3]
    assert (
        "`--producer-id 0`, `--producer-epoch 0` and `--coordinator-epoch 0` in place of `--start-offset`"
        in steps[3]
    )
    assert f"`kcat -P {place} -Z -K =KEY= -D =END= -l t-0-2.txt`" in steps[4]


def test_a_file_that_can_contain_records_of_others_says_so(tmp_path: Path) -> None:
    log(tmp_path, [state(0, 6, partitions=())], name="__transaction_state-0")
    rows = [data(0), commit(1), data(2), plain(3), data(4), plain(5, 20)]
    (finding,) = findings(detector, read_logs(log(tmp_path, rows)))
    assert "-o 2 -c 3 " in finding.remedy
    assert "can also contain records of other producers" in finding.remedy
