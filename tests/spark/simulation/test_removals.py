"""The removed records behind a difference: found by keeping them, in one replay for many differences, and never by guess."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from spark.detectors.compaction._causes import proven
from spark.detectors.compaction._differences import EntityState, differing
from spark.dialects import Entity, dialects
from spark.dialects.apicurio_v2 import dialect
from spark.simulation.removals import FEW, OutOfBudget, RemovalTrial, prove, removals, smallest
from spark.simulation.removed import Question, question_of
from spark.tables import Manifest
from spark.tables.store import ResultTables
from tests.builders import given_tables
from tests.spark.apicurio_journals import records_of
from tests.spark.apicurio_views import Parts, artifact, content, global_rule, group, version, views
from tests.spark.states import cases, files_of
from tests.spark.transaction_logs import CORPUS
from tests.spark.whole_pipeline import report_on

TOPIC = "kafkasql-journal"


@dataclass
class Told(RemovalTrial):
    """A trial whose answer is told: for each entity the sets of records of which one must be kept."""

    needs: dict[Entity, list[set[int]]] = field(default_factory=dict)
    replays: set[tuple[int, ...]] = field(default_factory=set)

    def healed(self, kept: Collection[int]) -> frozenset[Entity]:
        self.replays.add(tuple(kept))
        return frozenset(
            entity for entity, sets in self.needs.items() if any(one <= set(kept) for one in sets)
        )


def told(needs: dict[str, list[set[int]]], candidates: int) -> Told:
    """Entities by name."""
    named = {("e", name): sets for name, sets in needs.items()}
    now = dict.fromkeys(named, EntityState({}, 0))
    question = Question(
        (TOPIC, 0, ""), now, np.array([], np.int64), tuple(range(candidates)), pa.table({}), 0
    )
    return Told(question, dialect, "", given_tables({}), needs=named)


@pytest.mark.parametrize("candidates", [2, FEW, FEW + 1, 100, 5_000])
def test_the_one_record_that_decides_is_found_among_any_number(candidates: int) -> None:
    random = Random(candidates)
    decisive = {f"entity-{number}": random.randrange(candidates) for number in range(300)}
    trial = told({name: [{offset}] for name, offset in decisive.items()}, candidates)
    assert removals(trial) == {("e", name): (offset,) for name, offset in decisive.items()}
    assert len(trial.replays) <= 2 + 2 * 13 + 2 * FEW


@pytest.mark.parametrize("candidates", [8, 200])
def test_records_of_which_several_are_needed_are_found_together(candidates: int) -> None:
    trial = told({"both": [{1, 6}], "one": [{4}], "three": [{0, 3, 7}]}, candidates)
    found = removals(trial)
    assert found == {("e", "both"): (1, 6), ("e", "one"): (4,), ("e", "three"): (0, 3, 7)}


@pytest.mark.parametrize("candidates", [8, 200])
def test_of_several_records_that_would_do_one_is_told(candidates: int) -> None:
    assert removals(told({"a": [{2}, {5}]}, candidates)) in ({("e", "a"): (2,)}, {("e", "a"): (5,)})


def test_of_several_that_would_do_the_one_that_explains_most_is_told() -> None:
    trial = told({"a": [{2}, {5}], "b": [{2}], "c": [{7}]}, 8)
    assert removals(trial) == {("e", "a"): (2,), ("e", "b"): (2,), ("e", "c"): (7,)}


def test_what_no_record_undoes_is_not_told() -> None:
    assert removals(told({"a": [{99}], "b": [{1}]}, 8)) == {("e", "b"): (1,)}


def test_a_smallest_set_holds_nothing_that_could_be_left_out() -> None:
    random = Random(5)
    for _ in range(50):
        needed = set(random.sample(range(40), random.randrange(1, 6)))
        pool = tuple(random.sample(range(40), 40))
        assert set(smallest(lambda kept, needed=needed: needed <= set(kept), (), False, pool)) == needed  # type: ignore[misc]


def found(*records: Parts) -> dict[Entity, list[int]]:
    """What replaying proves of a journal, from offset 0 on."""
    numbered = [(offset, key, value) for offset, (key, value) in enumerate(records)]
    tables = views(records_of(numbered))
    return {entity: kept for one in differing(tables) for entity, kept in proven(one, tables).items()}


def test_a_loss_that_cascades_is_laid_to_the_content_and_not_to_the_last_record_of_what_falls_with_it() -> (
    None
):
    second = artifact("a", 2, 2)
    held = version("a", "2", 2)
    kept = found(
        content(1), content(2), artifact("a", 1), second, held, version("a", "2", 2), content(1, 2, b"")
    )
    assert kept["artifact", "default/a"] == [0]
    assert kept["version", "default/a/2"] == [0]
    assert {tuple(offsets) for offsets in kept.values()} == {(0,)}


def test_two_losses_side_by_side_have_a_cause_each() -> None:
    rules = [
        global_rule(1),
        global_rule(2),
        global_rule(1, rule="COMPATIBILITY"),
        global_rule(2, rule="COMPATIBILITY"),
    ]
    assert found(*rules) == {("global-rule", "COMPATIBILITY"): [2], ("global-rule", "VALIDITY"): [0]}


def test_a_group_that_was_deleted_comes_back_for_want_of_its_creation() -> None:
    kept = found(group("g", 1), content(1), artifact("a", 1, group="g"), group("g", 3))
    assert kept["artifact", "g/a"] == [0]


def test_beyond_the_budget_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark.simulation.removals.MAX_ENTRIES", 0)
    assert found(global_rule(1), global_rule(2)) == {}
    with pytest.raises(OutOfBudget):
        trial_of(views(records_of([(0, *global_rule(1)), (1, *global_rule(2))]))).healed([])


def trial_of(tables: ResultTables) -> RemovalTrial:
    """Of the one partition that differs."""
    (partition,) = differing(tables)
    return RemovalTrial(question_of(partition, tables), dialect, "", tables)


def test_part_of_a_large_journal_gives_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [content(1), artifact("a", 1), content(9), artifact("b", 9), content(1, 2, b"")]
    whole = found(*records)
    monkeypatch.setattr("spark.simulation.removed.FEW_ENTRIES", 0)
    assert found(*records) == whole
    assert whole["artifact", "default/a"] == [0]


def test_a_replay_of_a_part_that_does_not_give_what_was_reported_proves_nothing() -> None:
    trial = trial_of(views(records_of([(0, *global_rule(1)), (1, *global_rule(2, "NONE"))])))
    everything = np.arange(2)
    wrong = replace(trial.question, remaining=everything)  # nothing is removed, so nothing differs
    assert removals(replace(trial, question=wrong, by_retained={})) == {}


def test_dialects_that_are_not_known_prove_nothing() -> None:
    tables = views(records_of([(0, *global_rule(1)), (1, *global_rule(2))]))
    bare = given_tables(
        {name: tables.arrow(f"FROM {name}") for name in ("entries", "lifelines", "state", "refusals")}
    )
    prove(bare, {})
    assert [proven(one, bare) for one in differing(bare)] == [{}]


@cache
def inspected(case: str, results: Path) -> tuple[ResultTables, dict[str, tuple[str, str]]]:
    """A case of the corpus: its tables, and whose journals they are."""
    report = report_on(files_of(CORPUS / case, []), results)
    tables = ResultTables.open(Manifest.load(results))
    profiles = {
        row["topic"]: row["profile"]
        for row in tables.rows("SELECT DISTINCT topic, profile FROM state WHERE is_own")
    }
    whose = {one["topic"]: (one["dialect"], profiles.get(one["topic"], "")) for one in report["journals"]}
    return tables, whose


def check_every_cause(case: str, results: Path) -> int:
    """Every cause of a case is checked by removal: with its records kept the entity is as before; one fewer, and it is not."""
    tables, whose = inspected(case, results)
    prove(tables, whose)
    count = 0
    for partition in differing(tables):
        question = question_of(partition, tables)
        name, profile = whose[partition.replica[0]]
        trial = RemovalTrial(question, dialects()[name], profile, tables)
        known: dict[Entity, Any] = proven(partition, tables)
        assert known.keys() == question.now.keys(), (
            f"without a proven cause: {question.now.keys() - known.keys()}"
        )
        for entity, kept in known.items():
            assert entity in trial.healed(kept), (entity, kept)
            assert all(entity not in trial.healed([one for one in kept if one != left]) for left in kept), (
                entity,
                kept,
            )
            count += 1
    return count


@pytest.mark.parametrize("case", ["open/incident-b-4-repaired-in-place", "open/karapace-620-key-forms"])
def test_each_cause_of_a_cascade_in_a_real_journal_stands_the_test(case: str, tmp_path: Path) -> None:
    if not (CORPUS / case).is_dir():
        pytest.skip("the shared corpus is not here")
    assert check_every_cause(case, tmp_path) > 0


@pytest.mark.long
@pytest.mark.parametrize(
    "case", cases("apicurio-real/*", "repairs-real/*", "schemas-real/*", "connect-real/*")
)
def test_each_cause_in_every_real_journal_stands_the_test(case: str, tmp_path: Path) -> None:
    check_every_cause(case, tmp_path)
