"""Open transactions of a captured log: the answer of `kafka-transactions find-hanging`, and the records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.detectors import detectors
from spark.terms.findings import Finding
from tests.spark.captures import config, manifest, partition, producer, transaction, write_capture
from tests.spark.log_folders import tables_of
from tests.spark.transaction_logs import abort, commit, data, plain

NAMES = ("hanging-transaction", "open-transaction", "late-transactional-write", "aborted-txn-not-indexed")
OPEN = [plain(0), data(1, 7, keys=b"ab"), plain(3)]


def found(folder: Path, document: dict[str, Any], batches: list[bytes]) -> list[Finding]:
    tables = tables_of(write_capture(folder / "capture", document, {0: batches}), folder / "results")
    chosen = [detectors()[name] for name in NAMES if detectors()[name].absent(tables) is None]
    return [one.describe(row) for one in chosen for row in one.find(tables)]


def told(
    producers: list[dict[str, Any]] | None, transactions: list[dict[str, Any]] | None, **other: Any
) -> dict[str, Any]:
    """A capture an hour after the last record of OPEN."""
    whole = partition(end=4, last_stable_offset=1, producers=producers)
    return manifest(whole, transactions=transactions, **other)


KNOWN = transaction(7, partitions=(("journal", 0), ("other", 1)))
ELSEWHERE = transaction(7, partitions=(("other", 1),))
AT_REST = transaction(7, state="CompleteCommit", partitions=())
HANGING = [producer(7, open_since=1)]
CASES = {
    "nobody coordinates it": (HANGING, [], "hanging-transaction"),
    "its transaction is elsewhere": (HANGING, [ELSEWHERE], "hanging-transaction"),
    "its transaction is over": (HANGING, [AT_REST], "hanging-transaction"),
    "another producer's transaction": (HANGING, [transaction(8)], "hanging-transaction"),
    "its coordinator knows it": (HANGING, [KNOWN], "open-transaction"),
    "it wrote a moment ago": ([producer(7, open_since=1, minutes=59)], [], "open-transaction"),
    "the broker has none open": ([producer(7)], [], "open-transaction"),
    "the broker does not know the producer": ([], [], "open-transaction"),
    "coordinators could not be asked": (HANGING, None, "hanging-transaction"),
    "nothing could be asked": (None, None, "hanging-transaction"),
}


@pytest.mark.parametrize("case", CASES)
def test_find_hanging_and_we_say_the_same(tmp_path: Path, case: str) -> None:
    producers, transactions, expected = CASES[case]
    (finding,) = found(tmp_path, told(producers, transactions), OPEN)
    assert finding.detector == expected
    assert (finding.first_offset, finding.last_offset) == (1, 2)


@pytest.mark.parametrize(
    ("case", "confidence", "said"),
    [
        ("nobody coordinates it", "proven", "no coordinator of the cluster had a transactional ID"),
        (
            "its transaction is elsewhere",
            "proven",
            "`id-7` in state Ongoing and does not list this",
        ),
        ("its transaction is over", "proven", "in state CompleteCommit and does not list this partition"),
        ("coordinators could not be asked", "likely", "because the cluster could not be queried"),
        ("its coordinator knows it", "proven", "It will end the transaction"),
        ("the broker has none open", "proven", "Its marker comes after the captured records"),
    ],
)
def test_it_says_what_the_cluster_knew(tmp_path: Path, case: str, confidence: str, said: str) -> None:
    (finding,) = found(tmp_path, told(*CASES[case][:2]), OPEN)
    assert said in finding.explanation
    if finding.severity != "info":
        assert finding.confidence == confidence


def test_it_says_since_when_it_is_open_and_what_is_hidden(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, told(HANGING, []), OPEN)
    assert (
        "At the time of the capture, 1 hour later, the transaction was still open on the broker"
        in finding.explanation
    )
    assert "stays at 1" in finding.explanation
    assert "3 records are hidden" in finding.explanation
    assert "--start-offset 1" in finding.remedy


@pytest.mark.parametrize(("minutes", "expected"), [(45, "open-transaction"), (44.9, "hanging-transaction")])
def test_the_tools_default_is_the_border(tmp_path: Path, minutes: float, expected: str) -> None:
    document = told([producer(7, open_since=1, minutes=minutes)], [])
    assert [one.detector for one in found(tmp_path, document, OPEN)] == [expected]


def test_the_brokers_own_limit_counts_where_it_is_known(tmp_path: Path) -> None:
    document = told(HANGING, [], broker={"transaction.max.timeout.ms": config("7200000", "static")})
    assert [one.detector for one in found(tmp_path, document, OPEN)] == ["open-transaction"]


def test_one_whose_records_were_not_captured_is_named_all_the_same(tmp_path: Path) -> None:
    whole = partition(first=10, end=12, last_stable_offset=3, producers=[producer(7, open_since=3)])
    (finding,) = found(tmp_path, manifest(whole, transactions=[]), [plain(10), plain(11)])
    assert (finding.detector, finding.first_offset, finding.last_offset) == ("hanging-transaction", 3, 3)
    assert "The capture does not contain its records." in finding.explanation
    assert "--start-offset 3" in finding.remedy


def test_a_write_behind_the_marker_is_the_cause(tmp_path: Path) -> None:
    whole = partition(end=4, last_stable_offset=2, producers=[producer(7, open_since=2)])
    document = manifest(whole, transactions=[AT_REST])
    batches = [data(0, 7), commit(1, 7), data(2, 7), plain(3)]
    assert {one.detector for one in found(tmp_path, document, batches)} == {
        "hanging-transaction",
        "late-transactional-write",
    }


ABORTED = [plain(0), data(1, 7), abort(2, 7), data(3, 7), abort(4, 7), plain(5)]


def aborts(*first_offsets: int, **other: Any) -> dict[str, Any]:
    listed = [{"producer_id": 7, "first_offset": offset} for offset in first_offsets]
    return manifest(partition(end=6, aborted=listed, **other))


RANGE = {"aborted_range": {"from_offset": 0, "to_offset": 6}}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (aborts(1, 3, **RANGE), []),
        (aborts(1, **RANGE), [(3, 4)]),
        (aborts(3, **RANGE), [(1, 2)]),
        (aborts(1), []),
        (aborts(1, aborted_range={"from_offset": 0, "to_offset": 3}), []),
    ],
    ids=["both named", "second left out", "first left out", "no range told", "outside of the range"],
)
def test_aborted_data_that_the_broker_does_not_hide_is_found(
    tmp_path: Path, document: dict[str, Any], expected: list[tuple[int, int]]
) -> None:
    rows = found(tmp_path, document, ABORTED)
    assert [(one.first_offset, one.last_offset) for one in rows] == expected
