"""Which removed record makes a difference: the cleaner is made to keep some records, and what it leaves is replayed again.

A record is the cause of a difference where the entity is as before once that record alone is kept. Where it takes
several, the cause is a smallest set of them. Many differences are tested in one replay: each candidate has a number, and
there are two replays for each bit, one that keeps the candidates with that bit and one that keeps the others. A difference
that one record alone decides is gone in exactly one of the two, and those bits spell the record's number.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark.detectors.compaction._causes import NO_REMOVALS, REMOVALS
from spark.detectors.compaction._differences import EntityState, PartitionDifferences, differing, is_same
from spark.dialects import Dialect, Entity, dialects, replay_all
from spark.dialects._history import History, ReplayRun
from spark.log.read_committed import committed
from spark.simulation.removed import Question, question_of
from spark.stages.replay import without_collector
from spark.tables.replica import is_of
from spark.tables.store import ResultTables

Retained = tuple[int, ...]  # offsets
FEW = 16  # candidates that are kept one at a time, each alone
# Entries, over all replays of a partition: so many, and as many as it has itself.
FREE_ENTRIES, MAX_ENTRIES = 100_000, 1_000_000
MAX_WHOLE = 20_000  # entries of a partition that is replayed whole for what a part of it does not explain


class OutOfBudget(Exception):
    """More replays would take too long; what is not known by then stays unknown."""


@dataclass
class RemovalTrial:
    """Replays of what the cleaner leaves of one partition, with some of the removed records kept."""

    question: Question
    dialect: Dialect
    profile: str
    tables: ResultTables
    replayed: int = 0
    by_retained: dict[Retained, frozenset[Entity]] = field(default_factory=dict)

    def healed(self, retained: Collection[int]) -> frozenset[Entity]:
        """The entities that are as in the whole log once these records are kept. Raises OutOfBudget."""
        key = tuple(sorted(retained))
        if key not in self.by_retained:
            state = self.state_after(key)
            self.by_retained[key] = frozenset(
                entity for entity, now in self.question.now.items() if is_same(state.get(entity), now)
            )
        return self.by_retained[key]

    def heals(self, entity: Entity, retained: Retained) -> bool:
        return entity in self.healed(retained)

    def state_after(self, retained: Retained) -> dict[Entity, EntityState]:
        """What the service holds at the end, of the entities in question."""
        offsets = np.union1d(self.question.remaining, np.array(retained, np.int64))
        rows = self.question.entries.filter(pa.array(np.isin(self.question.offsets, offsets)))
        self.replayed += rows.num_rows
        if self.replayed > min(FREE_ENTRIES + self.question.size, MAX_ENTRIES):
            raise OutOfBudget
        portions: Iterable[pa.Table] = [rows]
        if self.dialect.reads_committed:
            portions = list(committed(portions, is_of(self.question.replica), self.tables))
        return dict(states_of(self.replay(portions), self.question.ids))

    def replay(self, portions: Iterable[pa.Table]) -> list[pa.Table]:
        written: list[pa.Table] = []
        run = ReplayRun(self.question.replica, self.profile, True, "full")
        history = History(run, lambda table, rows: written.append(rows) if table == "state" else None)
        with without_collector():
            replay_all(self.dialect, portions, [history])
            history.finish()
        return written


def states_of(written: Iterable[pa.Table], ids: pa.Array) -> Iterator[tuple[Entity, EntityState]]:
    """The entities of these ids that hold at the end. `written`: STATE rows."""
    for rows in written:
        is_live = pc.is_null(rows.column("valid_to_offset"))
        is_in_question = pc.is_in(rows.column("entity_id"), ids)
        for row in rows.filter(pc.and_(is_live, is_in_question)).to_pylist():
            yield (row["entity_type"], row["entity_id"]), EntityState.of(row)


def removals(trial: RemovalTrial) -> dict[Entity, Retained]:
    """For each difference the records whose removal makes it; without those that no replay tells."""
    question = trial.question
    explained: dict[Entity, Retained] = {}
    try:
        as_reported = question.now.keys() - trial.healed(())
        due = as_reported & trial.healed(question.candidates)
        alone = one_by_one if len(question.candidates) <= FEW else by_numbers
        explained |= alone(trial, due)
        explained |= sets(trial, sorted(due - explained.keys()))
    except OutOfBudget:
        pass
    return explained


def one_by_one(trial: RemovalTrial, due: Collection[Entity]) -> dict[Entity, Retained]:
    """Each candidate alone. Of several that would do it counts the one that explains most, then the last."""
    heals = {offset: trial.healed([offset]) & set(due) for offset in trial.question.candidates}
    order = sorted(heals, key=lambda offset: (-len(heals[offset]), -offset))
    return {
        entity: (next(offset for offset in order if entity in heals[offset]),)
        for entity in due
        if any(entity in healed for healed in heals.values())
    }


def by_numbers(trial: RemovalTrial, due: Collection[Entity]) -> dict[Entity, Retained]:
    """Two replays for each bit of the candidates' numbers; few that are spelled then stand the test alone as well."""
    candidates = trial.question.candidates
    numbers = dict.fromkeys(due, 0)
    for bit in range((len(candidates) - 1).bit_length()):
        ones = trial.healed([offset for number, offset in enumerate(candidates) if number >> bit & 1])
        zeros = trial.healed([offset for number, offset in enumerate(candidates) if not number >> bit & 1])
        numbers = {
            entity: number | (entity in ones) << bit
            for entity, number in numbers.items()
            if (entity in ones) != (entity in zeros)
        }
    spelled = {entity: candidates[number] for entity, number in numbers.items() if number < len(candidates)}
    distinct = set(spelled.values())
    return {
        entity: (offset,)
        for entity, offset in spelled.items()
        if len(distinct) > FEW or entity in trial.healed([offset])
    }


def sets(trial: RemovalTrial, due: Sequence[Entity]) -> dict[Entity, Retained]:
    """Smallest sets for what no single record decides; a set that is known is tried on the others first."""
    explained: dict[Entity, Retained] = {}
    for entity in due:
        sets_so_far = (retained for retained in explained.values() if entity in trial.healed(retained))
        pool = next(sets_so_far, tuple(reversed(trial.question.candidates)))
        explained[entity] = smallest(partial(trial.heals, entity), (), False, pool)
    return {entity: tuple(sorted(retained)) for entity, retained in explained.items()}


def smallest(does: Callable[[Retained], bool], taken: Retained, is_new: bool, pool: Retained) -> Retained:
    """A set out of the pool that does it together with what is taken, and from which nothing can be left out.

    Source: Junker, "QuickXplain: Preferred explanations and relaxations for over-constrained problems", AAAI 2004.
    """
    if is_new and does(taken):
        return ()
    if len(pool) == 1:
        return pool
    first, second = pool[: len(pool) // 2], pool[len(pool) // 2 :]
    of_second = smallest(does, taken + first, True, second)
    of_first = smallest(does, taken + of_second, bool(of_second), first)
    return of_first + of_second


def prove(tables: ResultTables, origins: Mapping[str, tuple[str, str]]) -> None:
    """Make the table `removals`: the records behind each difference. `origins`: topic -> ids of dialect and profile."""
    rows = [row for partition in differing(tables) for row in proven(partition, tables, origins)]
    tables.register(REMOVALS, pa.Table.from_pylist(rows, schema=tables.arrow(NO_REMOVALS).schema))


def explain(
    partition: PartitionDifferences, dialect: Dialect, profile: str, tables: ResultTables
) -> dict[Entity, Retained]:
    """By a replay of what belongs to the differences; of the whole for what that leaves open."""
    question = question_of(partition, tables)
    explained = removals(RemovalTrial(question, dialect, profile, tables)) if question.candidates else {}
    unexplained = {entity: now for entity, now in question.now.items() if entity not in explained}
    if not unexplained or question.size == question.entries.num_rows or question.size > MAX_WHOLE:
        return explained
    whole = replace(question_of(partition, tables, is_whole=True), now=unexplained)
    return explained | removals(RemovalTrial(whole, dialect, profile, tables))


def proven(
    partition: PartitionDifferences, tables: ResultTables, origins: Mapping[str, tuple[str, str]]
) -> Iterator[dict[str, object]]:
    """Rows of the table."""
    name, profile = origins.get(partition.replica.topic, ("", ""))
    dialect = dialects().get(name)
    if dialect is None or dialect.base:
        return
    if all(difference.is_by_start for difference in partition.differences):
        return
    replica = partition.replica._asdict()
    for (entity_type, entity_id), retained in explain(partition, dialect, profile, tables).items():
        yield {**replica, "entity_type": entity_type, "entity_id": entity_id, "kept": list(retained)}
