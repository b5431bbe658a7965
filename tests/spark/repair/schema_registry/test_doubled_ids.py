"""An id of two schemas: the later version gets one of its own, and every registry serves both; or the reason why not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark.repair.answers import RepairAnswer, Repaired
from spark.repair.words import as_text
from tests.spark.dialects.schema_registry.journals import delete_subject, schema, tombstone
from tests.spark.repair.schema_registry.journals import NOOP, Log, answered, numbered, repaired

pytestmark = pytest.mark.heavy

INT, LONG, TEXT = '"int"', '"long"', '"string"'
GREEN, BLUE, LAST = schema("green", 1, 7, INT), schema("blue", 1, 7, LONG), schema("red", 1, 8, TEXT)


def log_of(registry: str) -> Log:
    """Green and blue have ID 7, red has ID 8; the journal bears the marks of one registry."""
    if registry == "confluent":
        return numbered(NOOP, GREEN, BLUE, LAST)
    if registry == "karapace":
        return numbered(schema("gone", 1, 1), delete_subject("gone", -1), GREEN, BLUE, LAST)
    marks = [{"seq": offset, "node": 1} for offset in range(3)]
    return numbered(
        schema("green", 1, 7, INT, in_key=marks[0]),
        schema("blue", 1, 7, LONG, in_key=marks[1]),
        schema("red", 1, 8, TEXT, in_key=marks[2]),
    )


def written(one: Repaired) -> list[tuple[str, int, str]]:
    """Subject, id and text of the records to append, in their order."""
    values = [json.loads(record.value or b"{}") for record in one.plan.appended]
    return [(value["subject"], value["id"], value["schema"]) for value in values]


@pytest.mark.parametrize("registry", ["confluent", "karapace", "redpanda"])
def test_the_later_version_gets_a_free_id_and_every_registry_serves_both(
    tmp_path: Path, registry: str
) -> None:
    one = repaired(tmp_path, log_of(registry))
    assert written(one) == [("blue", 9, LONG), ("green", 7, INT)]
    assert all(json.loads(record.value or b"")["deleted"] is False for record in one.plan.appended)
    assert one.plan.recovered == ("blue/1 (schema ID 9 instead of 7)",)
    assert one.plan.refused == ()
    for way in one.ways:
        assert way.holds, (way.id, way.lacks, way.findings, way.outcomes)
        assert len(way.elsewhere) == 2
        assert all(outcome.holds for outcome in way.elsewhere.values()), way.elsewhere
    steps = " ".join(one.ways[0].steps)
    assert (
        "no repair can tell them apart. After the repair every registry reads all of them with green/1."
        in steps
    )
    assert "Restart the producers of blue/1, so that they write ID 9." in steps
    assert "every node" in steps or "Block its port" in steps
    is_changed = registry != "confluent"
    assert ("reads them with blue/1." in steps) == is_changed
    assert ("Restart the consumers that read ID 7" in steps) == is_changed
    titles = [measure.title for measure in one.plan.measures]
    assert titles == ([] if is_changed else [titles[0]])
    if not is_changed:
        assert "gives each schema a free ID" in titles[0]
        assert "/subjects/blue/versions" in one.plan.measures[0].steps[0]
        assert '"id"' not in one.plan.measures[0].steps[0]
    assert "The repair recovers 1 schema version." in as_text(RepairAnswer([one]), tmp_path)


def test_the_free_id_is_above_those_of_older_dumps(tmp_path: Path) -> None:
    older = numbered(NOOP, GREEN, BLUE, LAST, schema("old", 1, 30, '"bytes"'), tombstone("old"))
    one = repaired(tmp_path, numbered(NOOP, GREEN, BLUE, LAST), older)
    assert written(one)[0] == ("blue", 31, LONG)


def test_each_further_text_gets_an_id_and_its_subjects_share_it(tmp_path: Path) -> None:
    more = [schema("blue-too", 1, 7, LONG), schema("white", 1, 7, TEXT), schema("green-too", 1, 7, INT)]
    one = repaired(tmp_path, numbered(NOOP, GREEN, BLUE, *more))
    assert written(one) == [
        ("blue", 8, LONG), ("blue-too", 8, LONG), ("white", 9, TEXT), ("green", 7, INT),
    ]  # fmt: skip
    assert all(way.holds for way in one.ways)


@pytest.mark.parametrize(
    "deletion",
    [schema("blue", 1, 7, LONG, deleted=True), delete_subject("blue"), tombstone("blue")],
    ids=["version", "subject", "rolled back"],
)
def test_what_is_deleted_since_is_not_written_again(
    tmp_path: Path, deletion: tuple[bytes, bytes | None]
) -> None:
    for one in answered(tmp_path, numbered(NOOP, GREEN, BLUE, LAST, deletion)).partitions:
        assert not one.ways
        assert not one.plan.appended


def test_a_place_with_another_schema_stays_what_it_is(tmp_path: Path) -> None:
    """Blue has a schema with an ID of its own; the record with ID 7 was rejected."""
    log = numbered(NOOP, schema("blue", 1, 6, TEXT), GREEN, BLUE)
    one = repaired(tmp_path, log)
    assert (one.plan.recovered, one.plan.settled) == ((), ("schema blue/1 stays as it is",))
    assert [gone.entity for gone in one.plan.refused] == ["schema ID 7 of blue/1"]


def test_a_version_whose_reference_is_gone_stays_without_an_id_of_its_own(tmp_path: Path) -> None:
    referring = schema("blue", 1, 7, LONG, references=[{"name": "x", "subject": "gone", "version": 1}])
    one = repaired(tmp_path, numbered(NOOP, GREEN, referring, LAST))
    assert not one.plan.appended
    assert [gone.entity for gone in one.plan.refused] == ["schema ID 7 of blue/1"]


def test_what_references_the_version_finds_it_with_its_own_text(tmp_path: Path) -> None:
    user = schema("user", 1, 9, '"bytes"', references=[{"name": "x", "subject": "blue", "version": 1}])
    one = repaired(tmp_path, numbered(NOOP, GREEN, BLUE, LAST, user))
    assert written(one) == [("blue", 10, LONG), ("green", 7, INT)]
    assert all(way.holds for way in one.ways), [(w.id, w.lacks, w.findings, w.outcomes) for w in one.ways]
