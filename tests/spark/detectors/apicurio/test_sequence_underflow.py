"""Sequences that fall behind the ids in use, today or by compaction."""

from __future__ import annotations

import pytest

from spark.detectors.apicurio.sequence_underflow import detector
from tests.generator.apicurio import healthy
from tests.spark.apicurio_journals import generated, real_journal
from tests.spark.apicurio_views import artifact, content, draw, found, views

IMPORTED = content(7, 5)


def test_a_sequence_below_the_highest_content_id() -> None:
    (finding,) = found(detector, draw(9, "u"), content(7))
    assert finding.severity == "high"
    assert "sequence contentId is at 1, but ID 7 is in use" in finding.title
    assert "content 7, offset 1" in finding.explanation


@pytest.mark.parametrize(("unreadable", "count"), [(0, 1), (1, 1), (6, 0)])
def test_records_that_cannot_be_read_may_be_the_draws(unreadable: int, count: int) -> None:
    damaged = [(b"\x09{broken %d" % number, b"\x09{}") for number in range(unreadable)]
    assert len(found(detector, draw(9, "u"), *damaged, content(7))) == count


def test_an_id_that_no_sequence_reaches_is_no_error() -> None:
    assert found(detector, draw(9, "u"), content(2**64 - 1)) == []


def test_one_below_the_highest_global_id() -> None:
    (finding,) = found(detector, draw(9, "u"), content(1), draw(8, "v"), artifact("a", 1, globalId=2))
    assert "sequence globalId is at 1, but ID 2 is in use" in finding.title
    assert "version default/a/1" in finding.explanation


def test_a_sequence_at_the_highest_id_is_fine() -> None:
    assert found(detector, draw(9, "u"), content(1), draw(8, "v"), artifact("a", 1)) == []


def test_a_sequence_ahead_of_all_ids_is_fine() -> None:
    assert found(detector, draw(9, "u"), draw(9, "v"), content(1)) == []


def test_a_reset_behind_an_import_is_fine() -> None:
    assert found(detector, IMPORTED, draw(9, "u", 6)) == []


def test_an_import_without_reset_is_not() -> None:
    assert len(found(detector, IMPORTED)) == 1


def test_draws_that_share_a_key_are_lost_by_compaction() -> None:
    (finding,) = found(detector, draw(9, None), content(1), draw(9, None), content(2))
    assert "after the next compaction: sequence contentId will be at 1" in finding.title
    assert "Pause compaction of the topic" in finding.remedy


def test_an_id_whose_holder_was_deleted_is_free() -> None:
    records = [draw(9, "u"), content(1), draw(8, "v"), artifact("a", 1, globalId=9), artifact("a", 1, 3)]
    assert found(detector, *records) == []


def test_healthy_journals_have_none() -> None:
    assert list(detector.find(views(generated(healthy(2, first_content_id=4711))))) == []
    assert list(detector.find(views(real_journal("healthy-c-compacted")))) == []
