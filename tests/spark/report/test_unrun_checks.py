"""What did not run, in words: what does not apply, and what better data would allow."""

from __future__ import annotations

import pytest

from spark.detectors import BETTER_DATA, DoesNotApply, detectors, section_of
from spark.report.unrun_checks import (
    FAILED,
    SECTIONS,
    entry,
    not_run,
    of_other_type,
    unrun_checks,
    without_kafkas_files,
)
from spark.terms.marked import plain


@pytest.mark.parametrize(
    ("name", "lacking", "data"),
    [
        ("crc-mismatch", ["batches"], "segments"),
        ("aborted-txn-not-indexed", ["batches"], "segments"),
        ("aborted-txn-not-indexed", [], "indexes"),
        ("timestamp-in-future", ["timestamps"], "dump"),
        ("replica-divergence", ["batches"], "replicas"),
        ("null-key", ["key"], "dump"),
        ("null-key", [], "settings"),
        ("cleaner-stalled", [], "checkpoint"),
    ],
)
def test_a_check_names_the_data_with_which_it_can_run(name: str, lacking: list[str], data: str) -> None:
    row = not_run(detectors()[name], "so it is", lacking)
    assert (row["reason"], row["better_data"]) == ("better-data", data)


def test_what_no_data_would_change_does_not_apply() -> None:
    row = not_run(detectors()["null-key"], DoesNotApply("the topic is not compacted"))
    assert (row["reason"], row["better_data"]) == ("does-not-apply", "")
    assert (
        plain(unrun_checks([row])["does_not_apply"]) == "1 check does not apply: the topic is not compacted."
    )


def test_journals_that_are_not_there_are_named_once() -> None:
    rows = [of_other_type(detectors()[name]) for name in ("version-gap", "write-race", "zombie-worker")]
    assert plain(unrun_checks(rows)["does_not_apply"]) == (
        "3 checks do not apply: the input contains no journal of Kafka Connect (configs, offsets, status) or "
        "Schema registry (_schemas)."
    )


def test_each_kind_of_data_has_one_sentence_the_most_useful_first() -> None:
    rows = [
        not_run(detectors()["timestamp-in-future"], "no times", ["timestamps"]),
        not_run(detectors()["crc-mismatch"], "no batches", ["batches"]),
        not_run(detectors()["open-transaction"], "no batches", ["batches", "control"]),
    ]
    assert list(map(plain, unrun_checks(rows)["better_data"])) == [
        "With the log segments 2 more checks can run: checksums, transactions.",
        "With a full dump (kcat -J): 1 more (log history).",
    ]


def test_files_of_kafka_are_not_asked_for_where_redpanda_has_none() -> None:
    rows = [
        not_run(detectors()["crc-mismatch"], "no batches", ["batches"]),
        not_run(detectors()["timestamp-in-future"], "no times", ["timestamps"]),
    ]
    unrun = unrun_checks(without_kafkas_files(rows))
    assert "Redpanda's segments are not in Kafka's form" in plain(unrun["does_not_apply"])
    assert list(map(plain, unrun["better_data"])) == [
        "With a full dump (kcat -J) 1 more check can run: log history."
    ]


def test_what_broke_off_is_named() -> None:
    rows = [entry("rule:pay/odd", "it took longer than 60 seconds", FAILED)]
    assert list(map(plain, unrun_checks(rows)["failed"])) == [
        "rule:pay/odd did not run: it took longer than 60 seconds."
    ]


def test_every_detector_has_a_section_and_known_data() -> None:
    for detector in detectors().values():
        assert section_of(detector.id) in SECTIONS
        assert detector.wants in {"", *BETTER_DATA}
