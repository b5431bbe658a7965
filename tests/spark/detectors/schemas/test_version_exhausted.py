"""The largest version and id of a schema, and what makes it harmless."""

from __future__ import annotations

import pytest

from spark.detectors.schemas.version_exhausted import MAX_INTEGER, detector
from spark.terms.marked import plain
from tests.spark.schema_journals import found, schema, tombstone


def test_the_largest_version_is_found() -> None:
    (finding,) = found(detector, schema("a", 1), schema("a", MAX_INTEGER))
    assert (finding.severity, finding.evidence) == ("medium", [1])
    assert finding.title.startswith("Subject a cannot get a new version")


def test_the_largest_id_is_high() -> None:
    (finding,) = found(detector, schema("a", 1, id=MAX_INTEGER))
    assert (finding.severity, "cannot register new schemas" in finding.title) == ("high", True)


def test_a_context_has_ids_of_its_own() -> None:
    (finding,) = found(detector, schema(":.tests:a", 1, id=MAX_INTEGER))
    assert plain(finding.title).startswith("Context .tests cannot register new schemas")


@pytest.mark.parametrize("number", [MAX_INTEGER - 1, 1])
def test_any_other_number_is_innocent(number: int) -> None:
    assert found(detector, schema("a", number, id=number)) == []


def test_a_version_that_was_deleted_since_is_innocent() -> None:
    assert found(detector, schema("a", MAX_INTEGER), tombstone("a", MAX_INTEGER)) == []


def test_the_headline_has_the_right_plural() -> None:
    every = found(detector, schema("a", MAX_INTEGER), schema("b", MAX_INTEGER))
    assert (
        plain(detector.headline(every)) == "2 schemas have the largest version or ID: no next one is possible"
    )
