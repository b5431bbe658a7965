"""Formats that go back and forward again: one finding with every switch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import batches_table
from tests.spark.detectors.log.histories import log, of_magic


def test_back_and_forward_is_found_between_the_two_switches(inspect: Any) -> None:
    (finding,) = inspect("format-flapping", batches=log(0, 1, 2, 2, 1, 1, 2))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("high", 40, 60)
    assert "from message format 2 to 1 at offset 40 and to 2 at offset 60" in finding.title
    assert finding.evidence == [9, 10, 19, 20, 39, 40, 59, 60]
    assert "Magic v1 does not support record headers" in finding.explanation
    assert "UNKNOWN_SERVER_ERROR" in finding.explanation


def test_several_turns_are_one_finding(inspect: Any) -> None:
    (finding,) = inspect("format-flapping", batches=log(2, 1, 2, 1, 2))
    assert (finding.first_offset, finding.last_offset) == (10, 40)
    assert "2 more switches" in finding.title


def test_old_formats_flap_too(inspect: Any) -> None:
    (finding,) = inspect("format-flapping", batches=log(1, 0, 1))
    assert "Magic v0" in finding.explanation


def test_a_new_leader_epoch_between_names_the_brokers(inspect: Any) -> None:
    rows = [of_magic(2, leader_epoch=3), of_magic(1), of_magic(2, leader_epoch=5)]
    (finding,) = inspect("format-flapping", batches=batches_table(*rows))
    assert "leader epoch 5" in finding.explanation
    assert "The leader changed between these batches" in finding.explanation


@pytest.mark.parametrize("magics", [(2,), (0, 1, 2), (2, 1), (2, 1, 0)], ids=str)
def test_one_way_only_is_no_flapping(inspect: Any, magics: tuple[int, ...]) -> None:
    assert inspect("format-flapping", batches=log(*magics)) == []


def test_what_follows_from_flapping_is_linked_to_it(inspect: Any) -> None:
    found = {finding.detector: finding for finding in inspect(batches=log(2, 1, 2, 1))}
    root = found["format-flapping"].id
    assert {name: one.consequence_of for name, one in found.items()} == {
        "format-flapping": None,
        "format-downgrade": root,
        "old-format-tail": root,
    }


def test_loose_files_of_unknown_topics_are_not_one_log(inspect: Any) -> None:
    from tests.builders import files_table

    loose = {"topic": "?", "partition": 0}
    batches = batches_table(
        {**of_magic(2), **loose}, {**of_magic(1), **loose, "file": 1}, {**of_magic(2), **loose, "file": 2}
    )
    files = files_table(*({"name": f"{n}.log", **loose} for n in range(3)))
    assert inspect("format-flapping", batches=batches, files=files) == []
    one = files_table({"name": "0.log", **loose})
    assert len(inspect("format-flapping", batches=batches, files=one)) == 1
