"""Damage of an input in a clause."""

from __future__ import annotations

import pytest

from spark.terms.damage import (
    damage,
    intact,
    output_title,
    records_and_damage,
    records_in_copies,
    records_of,
    what_was_read,
)


@pytest.mark.parametrize(
    ("batches", "unreadable", "said"),
    [
        (0, 0, "all checksums match"),
        (1, 0, "1 batch fails its checksum"),
        (2, 40, "2 batches fail their checksums, 40 bytes are unreadable"),
        (0, 1, "1 byte is unreadable"),
    ],
)
def test_batches_that_fail_their_checksum_count_as_damage(batches: int, unreadable: int, said: str) -> None:
    assert damage({"corrupt_batches": batches, "unreadable_bytes": unreadable}) == said


def test_without_checksums_nothing_shows_that_there_is_no_damage() -> None:
    coverage = {"corrupt_batches": 0, "unreadable_bytes": 0, "has_checksums": False}
    assert damage(coverage) == "no unreadable lines, no checksums in this format"
    assert damage({**coverage, "unreadable_bytes": 1}) == "1 byte is unreadable"


@pytest.mark.parametrize(
    ("batches", "known", "said"),
    [
        (5, 5, "all checksums match"),
        (5, 3, "3 of 5 checksums known, all match"),
        (5, 1, "1 of 5 checksums known, it matches"),
        (None, 3, "3 checksums known, all match"),
        (None, 1, "1 checksum known, it matches"),
        (5, 0, "no unreadable lines"),
        (0, 0, "no unreadable lines"),
    ],
)
def test_checksums_match_where_they_are_known(batches: int | None, known: int, said: str) -> None:
    counts = {"batches": batches, "known_checksums": known}
    assert damage({**counts, "has_checksums": True}) == said
    whole = {"has_checksums": True, "checked_batches_per_partition": {"t-0": counts}, "known_checksums": 9}
    assert intact(whole, "t", 0, "") == said
    assert intact(whole, "t", 1, "") == "no unreadable lines"


def test_an_empty_segment_has_no_checksum_that_matches() -> None:
    coverage = {"has_checksums": True, "has_segments": True, "batches": 0, "known_checksums": 0}
    assert damage(coverage) == "no unreadable bytes"
    assert damage({**coverage, "unreadable_bytes": 1}) == "1 byte is unreadable"


def test_an_older_report_does_not_count_known_checksums() -> None:
    assert intact({"has_checksums": True}, "t", 0, "") == damage({}) == "all checksums match"


def test_each_copy_has_its_own_known_checksums() -> None:
    coverage = coverage_of_copies(2, 2, is_log=False)
    for number, copy in enumerate(coverage["copies_per_partition"]["t-0"].values()):  # type: ignore[index]
        copy |= {"corrupt_batches": 0, "unreadable_bytes": 0, "batches": 2, "known_checksums": 2 - number}
    assert intact(coverage, "t", 0, "broker-0") == "all checksums match"
    assert intact(coverage, "t", 0, "broker-1") == "1 of 2 checksums known, it matches"
    said = records_and_damage(coverage, "broker-1")
    assert (
        said == "2 records in the incident's copy (one of 2); 1 of 2 checksums of this copy known, it matches"
    )


def test_an_older_report_knows_unreadable_bytes_only() -> None:
    assert damage({"unreadable_bytes": 9}) == "9 bytes are unreadable"


def coverage_of_copies(*records: int, is_log: bool = True) -> dict[str, object]:
    """Of one partition; a batch of the first copy is corrupt, and one of each other."""
    copies = {
        f"broker-{number}": {
            "is_log": is_log,
            "records": count,
            "corrupt_batches": 1,
            "unreadable_bytes": number,
        }
        for number, count in enumerate(records)
    }
    return {
        "records": max(records),
        "records_per_partition": {"t-0": max(records)},
        "corrupt_batches": len(records),
        "copies_per_partition": {"t-0": copies},
    }


def test_records_of_copies_are_those_of_one_of_them() -> None:
    assert records_in_copies(coverage_of_copies(296, 305)) == "296 to 305 records in 2 replicas"
    assert records_in_copies(coverage_of_copies(296, 305), noun="") == "296 to 305 in 2 replicas"
    assert records_in_copies(coverage_of_copies(7, 7, is_log=False)) == "7 records in each of 2 copies"
    assert records_in_copies({"records": 3}) == "3 records"


def test_what_was_read_counts_the_files_with_records() -> None:
    files = [
        {"name": f"b{number}/t-0/0.{name}", "kind": kind}
        for number in (1, 2)
        for name, kind in (("log", "segment"), ("index", "companion"))
    ]
    read = {"coverage": coverage_of_copies(296, 305), "files": files}
    assert what_was_read(read) == "296 to 305 records in 2 replicas from 2 files"
    assert records_of(read["coverage"], "t-0") == "296 to 305 records in 2 replicas"  # type: ignore[arg-type]


def test_outputs_without_records_count_none() -> None:
    printed = "the output of kafka-topics --describe contains no records"
    coverage = {"records": 0, "records_per_partition": {}, "printed": printed}
    assert records_and_damage(coverage, None) == printed
    assert what_was_read({"coverage": coverage, "files": [{"name": "a", "kind": "companion"}]}) == printed
    assert records_and_damage({**coverage, "records": 2}, None) == "2 records; all checksums match"


def test_a_line_that_lost_a_piece_is_no_calm_sentence() -> None:
    lines = {"records": 2, "has_checksums": False, "unread_lines": 1}
    assert records_and_damage(lines, None) == "2 records; 1 line of a record could not be read"
    assert records_and_damage({**lines, "unread_lines": 0}, None) == (
        "2 records; no unreadable lines, no checksums in this format"
    )


def test_damage_of_copies_is_that_of_the_incidents() -> None:
    coverage = coverage_of_copies(296, 305)
    assert records_and_damage(coverage, "broker-0") == (
        "296 records in the incident's replica (one of 2); 1 batch fails its checksum"
    )
    assert records_and_damage(coverage, None) == (
        "296 to 305 records in 2 replicas; 2 batches fail their checksums"
    )


def test_a_second_partition_has_no_count_of_one_copy() -> None:
    coverage = coverage_of_copies(5, 6)
    coverage["records_per_partition"] = {"t-0": 6, "t-1": 2}
    coverage["records"] = 8
    assert records_in_copies(coverage) == "8 records (one copy of each partition)"


def test_copies_of_several_partitions_are_added_up_by_replica() -> None:
    coverage = coverage_of_copies(6, 5)
    of_ledger = coverage["copies_per_partition"]["t-0"]  # type: ignore[index]
    coverage["records_per_partition"] = {"t-0": 6, "state-0": 6}
    coverage["copies_per_partition"] = {"t-0": of_ledger, "state-0": of_ledger}
    assert records_in_copies(coverage) == "10 to 12 records in 2 replicas"
    assert records_and_damage(coverage, "broker-1").startswith("10 records in the incident's replica")
    assert records_and_damage(coverage, "broker-1", "state-0").startswith(
        "5 records in the incident's replica (one of 2) of its partition;"
    )
    coverage["copies_per_partition"] = {"t-0": of_ledger}
    assert records_in_copies(coverage) == "6 records (one copy of each partition)", (
        "the other partition is there once"
    )


def test_an_input_that_is_output_of_tools_alone_has_its_title() -> None:
    assert (
        output_title({"printed": "the output of kafka-topics --describe contains no records"})
        == "Output of kafka-topics --describe"
    )
    assert output_title({"printed": "12 batches, offsets 0-340; the output contains no records"}) == ""
    assert output_title({"printed": "the output of x contains no records", "records": 2}) == ""
    assert output_title({}) == ""
