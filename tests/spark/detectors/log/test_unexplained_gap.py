"""Offsets that nothing explains: one finding per copy, silent for every cause that is known."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors.log.unexplained_gap import detector
from spark.log.cleanings import NOTHING_SHOWN
from spark.log.text_gaps import UNBROKEN_AROUND
from spark.terms.findings import Finding
from tests.builders import batches_table, files_table, given_tables, other_table


def found(*gaps: dict[str, Any], **tables: Any) -> list[Finding]:
    rows = [{"proof": "", **row} for row in gaps]
    known = {"gaps": other_table("gaps", *rows, topic="journal", partition=0, replica=""), **tables}
    return [detector.describe(row) for row in detector.find(given_tables(known))]


def hole(first: int, last: int, cause: str = "unexplained") -> dict[str, Any]:
    return {"first_offset": first, "last_offset": last, "cause": cause}


def test_a_hole_without_a_cause_is_found_with_its_neighbours_as_proof() -> None:
    (finding,) = found(hole(5, 8))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("high", 5, 8)
    assert finding.evidence == [4, 9]
    assert "Consumers of journal-0 do not get 4 missing offsets, cause unknown: 5-8" in finding.title


def test_several_holes_of_a_partition_are_one_finding() -> None:
    (finding,) = found(hole(5, 8), hole(20, 20), hole(10, 12, "compaction"))
    assert "5 missing offsets" in finding.title
    assert "5-8 and 20" in finding.title


def test_a_dump_that_may_be_of_a_compacted_topic_is_medium_and_says_what_would_tell() -> None:
    (finding,) = found({**hole(400, 599), "proof": UNBROKEN_AROUND})
    assert (finding.severity, finding.confidence) == ("medium", "likely")
    assert "kafka-configs.sh" in finding.remedy
    assert "read_uncommitted" in finding.remedy
    assert "superseded all of these" in finding.explanation
    assert "lost or compacted" in detector.headline([finding])
    assert "never get some records" in detector.headline([finding, *found(hole(5, 8))])


@pytest.mark.parametrize(
    ("why", "reason"),
    [
        ("the topic's cleanup.policy was delete", "cleanup.policy was delete."),
        (NOTHING_SHOWN, "a key has two records"),
    ],
    ids=["settings", "keys"],
)
def test_a_dump_that_excludes_compaction_is_high_and_says_why(why: str, reason: str) -> None:
    cleanings = other_table(
        "cleanings", {"compacted": "no", "why": why}, topic="journal", partition=0, replica=""
    )
    (finding,) = found(hole(400, 599), cleanings=cleanings)
    assert (finding.severity, finding.confidence) == ("high", "proven")
    assert reason in finding.explanation


def test_segments_name_the_cleaner_s_progress() -> None:
    told = {"compacted": "proven", "first_dirty_offset": 3}
    cleanings = other_table("cleanings", told, topic="journal", partition=0, replica="")
    (finding,) = found(hole(5, 8), cleanings=cleanings, batches=batches_table({"base_offset": 0}))
    assert "compacted the log up to offset 3 only" in finding.explanation


@pytest.mark.parametrize(
    "cause", ["compaction", "damage", "retention", "capture limit", "control", "aborted", "unknown"]
)
def test_a_hole_with_a_cause_is_none(cause: str) -> None:
    assert found(hole(5, 8, cause)) == []


def test_a_hole_that_is_a_missing_segment_is_told_only_there() -> None:
    files = files_table(
        {"base_offset": 0, "name": "journal-0/00000000000000000000.log", "size_bytes": 500},
        {"base_offset": 9, "name": "journal-0/00000000000000000009.log", "size_bytes": 300},
    )
    batches = batches_table(
        *({"base_offset": n, "position": 100 * n} for n in range(5)),
        *({"base_offset": n, "position": 100 * (n - 9), "file": 1} for n in range(9, 12)),
    )
    assert found(hole(5, 8), files=files, batches=batches) == []


def test_one_offset_is_worded_as_one() -> None:
    assert "do not get 1 missing offset, cause unknown: 7" in found(hole(7, 7))[0].title
