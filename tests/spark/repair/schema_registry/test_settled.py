"""What else a schema journal's repair does: deletions hold, records that stop a start are left out, settings are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark.repair.answers import Repaired
from tests.spark.dialects.schema_registry.journals import compact, config, key, schema, tombstone
from tests.spark.repair.schema_registry.journals import NOOP, answered, numbered, repaired

pytestmark = pytest.mark.heavy

OLD_KEY = b'{"subject":"a-value","version":1,"magic":1,"keytype":"SCHEMA"}'
OTHER = schema("b-value", 1, 2, '{"type":"string"}')
MODE = key("MODE", "a-value")


def holds(one: Repaired) -> dict[str, bool]:
    """Each way with what its trial said."""
    return {way.id: way.holds for way in one.ways}


def test_a_delete_under_another_form_of_the_key_is_made_to_hold(tmp_path: Path) -> None:
    _, value = schema("a-value", 1, 1)
    one = repaired(tmp_path, numbered(NOOP, (OLD_KEY, value), OTHER, tombstone("a-value")))
    assert one.plan.settled == ("schema a-value/1 stays deleted",)
    assert [(record.key, record.value) for record in one.plan.appended] == [(OLD_KEY, None)]
    assert holds(one) == {"append": True, "copy": True}


def test_a_delete_with_an_empty_value_becomes_one_for_confluent(tmp_path: Path) -> None:
    log = numbered(
        NOOP,
        schema("a-value", 1, 1),
        OTHER,
        config("a-value"),
        tombstone("a-value", empty=True),
        NOOP,
        MODE_SET,
    )
    one = repaired(tmp_path, log)
    assert (one.plan.settled, one.plan.corrected) == ((), ("schema a-value/1 deleted",))
    assert holds(one)["append"]


MODE_SET = (key("MODE", "b-value"), compact({"subject": "b-value", "mode": "READWRITE"}))


def test_a_record_that_stops_the_start_is_left_out_of_a_copy(tmp_path: Path) -> None:
    foreign = (compact({"keytype": "FOREIGN", "magic": 0}), b"{}")
    one = repaired(tmp_path, numbered(NOOP, schema("a-value", 1, 1), foreign, OTHER))
    assert holds(one) == {"copy": True}
    assert one.plan.left_out.keys() == {2}
    assert one.ways[0].state["after_start"] == {"schema": 2}
    assert not one.plan.refused


def test_mode_import_left_behind_is_a_call_and_no_record(tmp_path: Path) -> None:
    mode = (MODE, compact({"subject": "a-value", "mode": "IMPORT"}))
    one = repaired(tmp_path, numbered(NOOP, schema("a-value", 1, 1), mode))
    assert not one.ways
    assert one.is_complete
    [measure] = one.plan.measures
    assert measure.title == "Mode IMPORT of a-value was left behind"
    assert """--data '{"mode":"READWRITE"}' http://REGISTRY:8081/mode/a-value`""" in measure.steps[0]


def test_the_way_by_rest_sets_import_registers_with_the_id_and_takes_the_mode_away(tmp_path: Path) -> None:
    whole = numbered(NOOP, schema("a b", 1, 1, '"string"'), schema("a b", 2, 3, '"long"'), OTHER)
    one = repaired(tmp_path, [whole[0], *whole[2:]], whole)
    [measure] = one.plan.measures
    assert measure.is_alternative
    calls = [step.partition("`")[2].rstrip("`") for step in measure.steps if "curl" in step]
    assert "http://REGISTRY:8081/mode/a%20b?force=true" in calls[0]
    body = json.loads(calls[1].split("--data '")[1].split("' http")[0])
    assert body == {"schema": '"string"', "version": 1, "id": 1}
    assert calls[2] == "curl -X DELETE http://REGISTRY:8081/mode/a%20b"
    assert calls[3] == "curl http://REGISTRY:8081/schemas/ids/1"


def test_an_id_of_two_schemas_is_named_and_not_touched(tmp_path: Path) -> None:
    log = numbered(
        NOOP, schema("a-value", 1, 1, '"int"'), schema("b-value", 1, 1, '"long"'), tombstone("b-value")
    )
    one = repaired(tmp_path, log)
    assert not one.ways
    assert [gone.entity for gone in one.plan.refused] == ["schema ID 1 of b-value/1"]


def test_a_rejected_text_that_was_registered_again_is_no_problem(tmp_path: Path) -> None:
    log = numbered(
        NOOP, schema("a-value", 1, 1, "\"int\""), schema("b-value", 1, 1, "\"long\""), tombstone("b-value"),
        schema("b-value", 1, 2, "\"long\""),
    )  # fmt: skip
    for one in answered(tmp_path, log).partitions:
        assert not any(gone.entity.startswith("schema ID") for gone in one.plan.refused)


def test_the_steps_name_who_must_be_stopped_and_check_the_policy(tmp_path: Path) -> None:
    whole = numbered(NOOP, schema("a-value", 1, 1), OTHER)
    steps = repaired(tmp_path, [whole[0], whole[2]], whole).ways[0].steps
    assert "kafkastore.timeout.ms" in steps[5]
    assert "--add-config cleanup.policy=compact`" in steps[6]
    order = [
        word
        for step in steps
        for word in ("check", "pause", "append", "resume")
        if f"ApplyRepair.java {word} " in step
    ]
    assert order == ["pause", "check", "append", "resume"]


def test_levels_that_went_with_the_head_come_back_from_an_older_dump(tmp_path: Path) -> None:
    whole = numbered(
        NOOP,
        config(None, "NONE"),
        config("a-value", "FULL"),
        config("gone-value"),
        schema("a-value", 1, 1),
        OTHER,
    )
    one = repaired(tmp_path, whole[3:], whole)
    assert one.plan.recovered == ("config of all subjects", "config a-value")
    assert [record.what for record in one.plan.appended] == [
        "config of all subjects, NONE",
        "config a-value, FULL",
    ]
    assert holds(one) == {"append": True, "copy": True}


def test_a_level_that_was_cleared_since_stays_cleared(tmp_path: Path) -> None:
    whole = numbered(NOOP, config("a-value", "FULL"), schema("a-value", 1, 1), OTHER)
    cleared = [*whole[2:], (4, config("a-value", None))]
    assert not answered(tmp_path, cleared, whole).partitions


def test_the_steps_pause_first_and_say_how_an_append_that_was_interrupted_goes_on(tmp_path: Path) -> None:
    whole = numbered(NOOP, schema("a-value", 1, 1, '"string"'), schema("a-value", 2, 2, '"long"'), OTHER)
    one = repaired(tmp_path, [whole[0], *whole[2:]], whole)
    calls = {
        way.id: [
            step.split("ApplyRepair.java ")[1].split()[0] for step in way.steps if "ApplyRepair.java " in step
        ]
        for way in one.ways
    }
    assert calls == {
        "append": ["pause", "check", "append", "resume-append", "resume"],
        "copy": ["pause", "check", "copy"],
    }
    assert all("JDK 11" in way.steps[0] and "--command-config" in way.steps[0] for way in one.ways)


def test_a_level_that_only_an_older_dump_shows_as_cleared_stays_cleared(tmp_path: Path) -> None:
    whole = numbered(NOOP, config("a-value", "FULL"), schema("a-value", 1, 1), OTHER)
    cleared = [*whole[2:], (4, config("a-value", None))]
    assert not answered(tmp_path, whole[2:], whole, cleared).partitions
