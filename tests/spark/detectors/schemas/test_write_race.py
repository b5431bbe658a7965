"""Losers of races that did no harm."""

from __future__ import annotations

import pytest

from spark.detectors.schemas.write_race import detector
from spark.terms.marked import plain
from tests.spark.schema_journals import found, found_in, real_cases, real_journal, schema, sequenced


def test_losers_are_one_remark() -> None:
    lost = sequenced("b", 1, 0, node=2, text='"int"')
    again = sequenced("b", 1, 2, node=2, id=2, text='"int"')
    (finding,) = found(detector, sequenced("a", 1, 0), lost, again)
    assert (finding.severity, finding.first_offset, finding.evidence) == ("info", 1, [1])
    assert finding.title == (
        "The write at offset 1 is ignored: it expected offset 0, which another record has. Written again at offset 2"
    )
    assert (
        "The write at offset 1 expected offset 0 and was written again at offset 2. So no data is lost."
        in finding.explanation
    )
    assert "Node whose record is ignored: node 2." in finding.explanation


def test_a_node_without_a_number_is_unnamed() -> None:
    named, unnamed = (sequenced("b", 1, 0, node=node, text='"int"') for node in (2, None))
    again = sequenced("b", 1, 3, node=2, id=2, text='"int"')
    (finding,) = found(detector, sequenced("a", 1, 0), named, unnamed, again)
    assert "Nodes whose records are ignored: node 2 and a node without a number." in finding.explanation


def test_a_write_that_was_never_tried_again_is_another_detectors() -> None:
    assert found(detector, sequenced("a", 1, 0), sequenced("b", 1, 0, node=2, text='"int"')) == []


def test_winners_and_other_registries_have_no_races() -> None:
    assert found(detector, sequenced("a", 1, 0), sequenced("b", 1, 1)) == []
    assert found(detector, schema("a", 1), schema("b", 1)) == []


@pytest.mark.parametrize("case", [case for case in real_cases() if "redpanda" not in case])
def test_only_redpanda_has_races(case: str) -> None:
    assert found_in(detector, real_journal(case)) == []


def test_a_simulated_contention_is_one_remark() -> None:
    (finding,) = found_in(detector, real_journal("redpanda-sim"))
    assert "95 of 312 writes" in finding.title


def test_where_another_registry_would_answer_otherwise_the_calm_verdict_says_it() -> None:
    lost = sequenced("b", 1, 0, node=2, text='"int"')
    again = sequenced("b", 1, 2, node=2, id=2, text='"int"')
    (finding,) = found(detector, sequenced("a", 1, 0), lost, again)
    assert finding.reservation == "A Karapace registry would return another schema for ID 1."
    assert finding.reservation in finding.explanation


def test_a_race_with_the_same_result_everywhere_has_no_reservation() -> None:
    (finding,) = found(detector, sequenced("a", 1, 0), sequenced("a", 1, 0, node=2))
    assert finding.reservation == ""
    assert finding.title == "The write at offset 1 is ignored: it expected offset 0, which another record has"
    assert "expected offset 0. Offset 0 contains the same. So no data is lost." in finding.explanation


@pytest.mark.parametrize(
    ("case", "sentences"),
    [
        ("redpanda-contended-same", ""),
        ("redpanda-contended-different", "A Karapace registry would return another schema for ID 1."),
        (
            "redpanda-sim",
            "A Confluent registry would differ from Redpanda in 3 versions and configs. "
            "A Karapace registry would differ from Redpanda in 4 versions and configs and return other schemas for 32 IDs.",
        ),
    ],
)  # fmt: skip
def test_what_other_registries_would_answer_is_taken_from_their_own_replay(case: str, sentences: str) -> None:
    (finding,) = found_in(detector, real_journal(case))
    assert plain(finding.reservation) == sentences
