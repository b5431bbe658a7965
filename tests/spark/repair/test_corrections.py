"""A repair says of each setting and deletion whether it stays as it is, or is no longer so and is set right, with its value."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from spark.repair.answers import APPEND, Repaired
from spark.repair.inputs import Input
from spark.repair.result import repair
from spark.repair.words import sentence
from spark.sources import InputFile
from tests.generator.dumps import kcat_base64
from tests.generator.journal import Journal, compacted
from tests.generator.registry import DELETE, GLOBAL_RULE, GROUP, IMPORT, UPDATE, Registry
from tests.generator.schemas import avro
from tests.spark.whole_pipeline import report_on

FIELDS = [{"name": "id", "type": "string"}]


def registry() -> Registry:
    """A rule BACKWARD, which an import of FULL does not change, and an artifact that was deleted with its group."""
    running = Registry(seed=7)
    running.start()
    running.add(avro("orders", "order", "Order", FIELDS))
    running.create_global_rule("COMPATIBILITY", "BACKWARD")
    running.add(avro("short-lived", "s1", "S1", FIELDS))
    running.write(GROUP, {"groupId": "short-lived"}, {"action": DELETE, "onlyArtifacts": False})
    running.write(
        GLOBAL_RULE,
        {"ruleType": "COMPATIBILITY"},
        {"action": IMPORT, "config": {"configuration": "FULL"}},
    )
    return running


def inspected(journal: Journal, folder: Path, name: str) -> Input:
    path = folder / f"{name}.json"
    path.write_bytes(kcat_base64(journal))
    file = InputFile(path.name, str(path), path.stat().st_size)
    return Input(report_on([file], folder / name), folder / name, f"the older dump {name}")


@pytest.fixture(scope="module")
def at_risk(tmp_path_factory: pytest.TempPathFactory) -> Repaired:
    """Before a compaction."""
    folder = tmp_path_factory.mktemp("at-risk")
    [found] = repair(
        inspected(registry().journal(), folder, "broken"), [], [], report_on, folder / "out"
    ).partitions
    return found


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Repaired:
    """After a compaction and a start, with the dump from before."""
    folder = tmp_path_factory.mktemp("changed")
    running = registry()
    older = inspected(running.journal(), folder, "before")
    running.stored = compacted(running.stored)
    running.start()
    [found] = repair(
        inspected(running.journal(), folder, "broken"), [older], [], report_on, folder / "out"
    ).partitions
    return found


def test_what_a_compaction_has_changed_is_corrected_and_not_kept(changed: Repaired) -> None:
    assert changed.plan.corrected == (
        "global rule COMPATIBILITY from FULL back to BACKWARD",
        "artifact short-lived/s1 deleted again",
    )
    assert changed.plan.settled == ()


def test_the_older_dump_proves_why_a_rule_has_another_value(changed: Repaired, at_risk: Repaired) -> None:
    [why] = changed.plan.reasons
    assert re.fullmatch(
        r"Offset \d+ \(FULL\) was rejected until compaction removed offset 6 \(BACKWARD\)\.", why
    )
    assert changed.as_json()["reasons"] == [why]
    assert at_risk.plan.reasons == ()


def test_the_answer_counts_what_is_served_differently_after_the_repair_and_names_it_once(
    changed: Repaired,
) -> None:
    assert sentence(changed) == "The repair corrects 2 entities."
    assert changed.as_json()["corrected"] == list(changed.plan.corrected)


def test_a_setting_is_written_with_the_value_of_the_record_that_is_named_as_its_source(
    changed: Repaired,
) -> None:
    [rule] = [record for record in changed.plan.appended if record.what.startswith("GlobalRule")]
    assert (rule.what, rule.source) == (
        "GlobalRule COMPATIBILITY, BACKWARD",
        "offset 6 of the older dump before",
    )
    assert json.loads((rule.value or b"")[1:])["config"] == {"configuration": "BACKWARD"}


def test_both_ways_pass_their_trial(changed: Repaired) -> None:
    """A DELETE that keeps something deleted is no record of an unfinished repair, in a copy either."""
    assert [(way.id, way.holds, way.findings) for way in changed.ways if not way.holds] == []
    assert len(changed.ways) == 2


def test_the_verdict_of_a_trial_says_nothing_of_offsets_which_the_simulation_gave(changed: Repaired) -> None:
    for way in changed.ways:
        assert re.fullmatch(r"No fault found\. \d+ records\.", way.verdict["sentence"])


def test_the_steps_warn_of_what_changes_and_say_how_to_keep_a_rule(changed: Repaired) -> None:
    steps = next(way.steps for way in changed.ways if way.id == APPEND)
    [warned] = [step for step in steps if "from FULL back to BACKWARD" in step]
    assert warned.startswith(
        "Warning: after the repair, these answers change compared with a start on the current topic"
    )
    assert "ApplyRepair.java append" in warned
    assert not any(step.startswith("Warning: ") and step.endswith("again.") for step in steps)
    keep = next(step for step in steps if step.startswith("If global rule COMPATIBILITY must be FULL"))
    assert "-X DELETE" in keep
    assert '{"type": "COMPATIBILITY", "config": "FULL"}' in keep


def test_what_a_compaction_would_change_is_kept(at_risk: Repaired) -> None:
    assert at_risk.plan.corrected == ()
    assert at_risk.plan.settled == (
        "global rule COMPATIBILITY stays BACKWARD",
        "artifact short-lived/s1 stays deleted",
    )
    assert sentence(at_risk) == "The repair prevents 2 changes by compaction."
    assert not any("must be" in step for way in at_risk.ways for step in way.steps)


def test_an_update_that_was_accepted_counts_although_compaction_took_its_create(tmp_path: Path) -> None:
    """The dump from before has BACKWARD; the registry then took FULL, and the UPDATE alone is left."""
    running = Registry(seed=7)
    running.start()
    running.create_global_rule("COMPATIBILITY", "BACKWARD")
    running.add(avro("orders", "order", "Order", FIELDS))
    older = inspected(running.journal(), tmp_path, "before")
    value = {"action": UPDATE, "config": {"configuration": "FULL"}}
    at = running.write(GLOBAL_RULE, {"ruleType": "COMPATIBILITY"}, value)
    running.stored = compacted(running.stored)
    running.start()
    broken = inspected(running.journal(), tmp_path, "broken")
    [found] = repair(broken, [older], [], report_on, tmp_path / "out").partitions
    assert found.plan.corrected == ("global rule COMPATIBILITY written again, FULL",)
    [rule] = found.plan.appended
    assert rule.source == f"offset {at} of the older dump broken, as CREATE"
    assert json.loads((rule.value or b"")[1:]) == {"action": 1, "config": {"configuration": "FULL"}}
    assert [way.holds for way in found.ways] == [True, True]
