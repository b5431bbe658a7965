"""Lost schema versions come back from older dumps, the journal itself or files; where that would harm, they are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.repair import AddedSchemaFile, RequestedSchema
from spark.repair.answers import Repaired
from spark.repair.words import partition_lines
from tests.spark.dialects.schema_registry.journals import (
    Parts,
    config,
    delete_subject,
    key,
    schema,
    tombstone,
)
from tests.spark.repair.schema_registry.journals import NOOP, answered, numbered, repaired

pytestmark = pytest.mark.heavy

ONE, TWO, THREE = (f'{{"type":"record","name":"R{number}","fields":[]}}' for number in (1, 2, 3))
ORDERS_1 = schema("orders-value", 1, 1, ONE)
ORDERS_2 = schema("orders-value", 2, 2, TWO)
USERS = schema("users-value", 1, 3, THREE)
WHOLE = numbered(NOOP, ORDERS_1, ORDERS_2, USERS)
LOST = [one for one in WHOLE if one[1] is not ORDERS_1]


def appended(one: Repaired) -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Key and value of each record that the repair adds."""
    return [
        (json.loads(record.key), json.loads(record.value) if record.value else None)
        for record in one.plan.appended
    ]


def holds(one: Repaired) -> list[tuple[str, bool]]:
    """Each way with what its trial said."""
    return [(way.id, way.holds) for way in one.ways]


def refusals(one: Repaired) -> dict[str, str]:
    """What is refused, with the reason."""
    return {gone.entity: gone.sought for gone in one.plan.refused}


def test_a_version_that_an_older_dump_holds_comes_back_under_its_place_and_id(tmp_path: Path) -> None:
    one = repaired(tmp_path, LOST, WHOLE)
    assert one.plan.recovered == ("orders-value/1 (schema ID 1)",)
    assert appended(one) == [
        (
            {"keytype": "SCHEMA", "subject": "orders-value", "version": 1, "magic": 1},
            {"subject": "orders-value", "version": 1, "id": 1, "schema": ONE, "deleted": False},
        )
    ]
    assert holds(one) == [("append", True), ("copy", True)]
    assert one.is_complete
    assert {outcome.release for way in one.ways for outcome in way.outcomes} == {"Confluent Schema Registry"}


def test_without_an_older_dump_nobody_can_know_of_it(tmp_path: Path) -> None:
    answer = answered(tmp_path, LOST)
    assert not answer.partitions
    assert answer.intact[0].sentence.endswith(
        "Only an older dump shows records that are missing without a trace."
    )


@pytest.mark.parametrize("has_deletion", [False, True])
def test_what_only_an_older_dump_shows_as_deleted_stays_deleted(tmp_path: Path, has_deletion: bool) -> None:
    removed = [(4, schema("orders-value", 1, 1, ONE, deleted=True)), (5, tombstone("orders-value"))]
    between = [*LOST, *(removed if has_deletion else [])]
    now = [*LOST, (6, schema("users-value", 2, 4, TWO))]
    answer = answered(tmp_path, now, WHOLE, between)
    recovered = [one.plan.recovered for one in answer.partitions]
    assert recovered == ([] if has_deletion else [("orders-value/1 (schema ID 1)",)])


def test_what_was_deleted_permanently_stays_deleted_unless_its_id_is_asked_for(tmp_path: Path) -> None:
    deleted = [
        *WHOLE,
        *numbered(schema("users-value", 1, 3, THREE, deleted=True), tombstone("users-value"), first=4),
    ]
    assert not answered(tmp_path, deleted, WHOLE).partitions
    (tmp_path / "wanted").mkdir()
    one = repaired(tmp_path / "wanted", deleted, WHOLE, requested=[RequestedSchema(3)])
    assert one.plan.recovered == ("users-value/1 (schema ID 3)",)
    assert holds(one) == [("append", True), ("copy", True)]


def test_a_version_whose_subject_was_marked_as_deleted_since_comes_back_marked(tmp_path: Path) -> None:
    since = [*LOST, *numbered(delete_subject("orders-value", 2), first=4)]
    [(_, value)] = appended(repaired(tmp_path, since, WHOLE))
    assert value is not None
    assert value["deleted"] is True


def test_a_version_in_a_journal_of_old_keys_gets_an_old_key(tmp_path: Path) -> None:
    def old(parts: Parts) -> Parts:
        members = json.loads(parts[0] or b"")
        names = ("subject", "version", "magic", "keytype")
        return json.dumps({name: members[name] for name in names}, separators=(",", ":")).encode(), parts[1]

    whole = numbered(*map(old, (ORDERS_1, ORDERS_2, USERS)))
    [record] = repaired(tmp_path, whole[1:], whole).plan.appended
    assert record.key == b'{"subject":"orders-value","version":1,"magic":1,"keytype":"SCHEMA"}'


def test_an_id_that_belongs_to_another_schema_now_is_refused(tmp_path: Path) -> None:
    taken = [*LOST, *numbered(schema("new-value", 1, 1, '{"type":"string"}'), first=4)]
    one = repaired(tmp_path, taken, WHOLE)
    assert not one.ways
    assert not one.is_complete
    assert refusals(one) == {"schema ID 1 of orders-value/1": "new-value/1 now has this ID with another text"}


def test_an_id_of_the_same_text_under_another_subject_is_no_obstacle(tmp_path: Path) -> None:
    shared = [*LOST, *numbered(schema("new-value", 1, 1, ONE), first=4)]
    assert repaired(tmp_path, shared, WHOLE).plan.recovered == ("orders-value/1 (schema ID 1)",)


def test_a_version_whose_reference_is_gone_is_refused_and_comes_back_behind_the_reference(
    tmp_path: Path,
) -> None:
    base = schema("base.proto", 1, 1, 'syntax = "proto3"; message B {}', schemaType="PROTOBUF")
    references = [{"name": "base.proto", "subject": "base.proto", "version": 1}]
    user = schema(
        "a-value", 1, 2, 'syntax = "proto3"; import "base.proto"; message A { B b = 1; }',
        schemaType="PROTOBUF", references=references,
    )  # fmt: skip
    whole = numbered(base, user, USERS)
    one = repaired(tmp_path, whole[2:], whole)
    assert one.plan.recovered == ("base.proto/1 (schema ID 1)", "a-value/1 (schema ID 2)")
    gone = [(1, schema("base.proto", 1, 1, deleted=True)), (3, tombstone("base.proto"))]
    (tmp_path / "gone").mkdir()
    one = repaired(tmp_path / "gone", [whole[2], *gone[1:]], whole)
    assert refusals(one) == {"schema ID 2 of a-value/1": "it references base.proto/1, which is not there"}


def test_a_version_that_was_overwritten_gets_its_id_back_beside_the_new_one(tmp_path: Path) -> None:
    log = numbered(
        NOOP, schema("s-value", 1, 1, ONE), schema("s-value", 1, 2, TWO), config("s-value", "FULL")
    )
    one = repaired(tmp_path, log)
    [(name, value)] = appended(one)
    assert name["version"] == 2
    assert value == {"subject": "s-value", "version": 2, "id": 1, "schema": ONE, "deleted": True}
    assert holds(one) == [
        ("append", False),
        ("copy", True),
    ]  # Confluent's cache still gives the id to the new schema


def test_a_file_gives_the_text_of_an_id_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "order.avsc"
    path.write_text(json.dumps(json.loads(ONE), indent=2), encoding="utf-8")
    file = AddedSchemaFile(path.name, path)
    one = repaired(tmp_path, LOST, files=[file], requested=[RequestedSchema(1, "orders-value", 1, file)])
    [(_, value)] = appended(one)
    assert value == {"subject": "orders-value", "version": 1, "id": 1, "schema": ONE, "deleted": False}
    assert one.plan.appended[0].source == "file order.avsc"
    assert holds(one) == [("append", True), ("copy", True)]


@pytest.mark.parametrize("has_id", [True, False])
def test_a_file_without_its_place_is_answered_with_what_to_write(tmp_path: Path, has_id: bool) -> None:
    path = tmp_path / "order.avsc"
    path.write_text(ONE, encoding="utf-8")
    file = AddedSchemaFile(path.name, path)
    requested = [RequestedSchema(1, file=file)] if has_id else []
    [reason] = refusals(repaired(tmp_path, LOST, files=[file], requested=requested)).values()
    assert ("SUBJECT/VERSION" if has_id else "give the ID, the subject and the version") in reason


def test_an_id_that_is_there_needs_nothing(tmp_path: Path) -> None:
    one = repaired(tmp_path, WHOLE, requested=[RequestedSchema(2)])
    assert refusals(one) == {"schema ID 2": "orders-value/2 has it already"}


def test_the_records_of_redpanda_have_no_seq_and_no_copy_is_offered(tmp_path: Path) -> None:
    def at(offset: int, subject: str, id: int, text: str) -> tuple[int, Parts]:
        return offset, schema(subject, 1, id, text, in_key={"seq": offset, "node": 1})

    whole = [at(0, "a", 1, ONE), at(1, "b", 2, TWO), at(2, "c", 3, THREE)]
    one = repaired(tmp_path, whole[1:], whole)
    assert one.plan.appended[0].key == key("SCHEMA", "a", 1)
    assert holds(one) == [("append", True)]


def test_the_trial_says_under_which_other_registries_a_way_holds(tmp_path: Path) -> None:
    one = repaired(tmp_path, LOST, WHOLE)
    others = {way.id: {title: outcome.holds for title, outcome in way.elsewhere.items()} for way in one.ways}
    both = {"Karapace": True, "Redpanda's schema registry": True}
    assert others == {"append": both, "copy": both}
    lines = list(partition_lines(one, tmp_path))
    assert lines.count("  It is also valid by the rules of Karapace and Redpanda's schema registry.") == 2


def test_what_another_registry_makes_of_it_decides_nothing(tmp_path: Path) -> None:
    overwritten = numbered(NOOP, ORDERS_1, schema("orders-value", 1, 2, TWO), USERS)
    append, copy = repaired(tmp_path, overwritten).ways
    assert (append.holds, copy.holds) == (False, True)  # Confluent's cache
    assert all(outcome.holds for outcome in append.elsewhere.values())


def test_where_another_registry_reads_something_else_the_plan_names_it(tmp_path: Path) -> None:
    emptied = tombstone("users-value", empty=True)
    owned_by_confluent = (key("MODE", "orders-value"), b'{"subject":"orders-value","mode":"READWRITE"}')
    log = numbered(NOOP, ORDERS_1, USERS, config("users-value"), emptied, NOOP, owned_by_confluent)
    one = repaired(tmp_path, log)
    assert one.ways[0].holds
    assert any(
        line.startswith("  It is not valid by the rules of Karapace: ")
        for line in partition_lines(one, tmp_path)
    )
