"""Legal histories replay to what the simulated registry would answer, before the log cleaner and under all its cuts."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest

from spark.dialects.schema_registry import dialect
from tests.builders import records_table
from tests.spark.dialects.schema_registry.journals import (
    Parts,
    config,
    delete_subject,
    held_and_refused,
    schema,
    tombstone,
    versions,
)
from tests.spark.dialects.schema_registry.simulations import Confluent, Karapace, Redpanda, Registry

KINDS: dict[str, type[Registry]] = {"confluent": Confluent, "redpanda": Redpanda, "karapace": Karapace}
STEPS = 120
SEEDS = range(8)


def history(kind: str, seed: int) -> Registry:
    """A registry after some calls."""
    registry = KINDS[kind](Random(seed))
    for _ in range(STEPS):
        registry.step()
    return registry


def entries_of(log: list[tuple[int, Parts]]) -> pa.Table:
    """Entries of records at their own offsets."""
    assert dialect.interpret
    rows = ({"offset": offset, "key": key, "value": value} for offset, (key, value) in log)
    return dialect.interpret(records_table(*rows, topic="_schemas"))


def cleaned(log: list[Parts], cut: int, tombstones: bool) -> list[tuple[int, Parts]]:
    """What the cleaner leaves when it has come to `cut`: below it the newest record of each key."""
    newest = {key: offset for offset, (key, _) in enumerate(log[:cut])}
    return [
        (offset, record)
        for offset, record in enumerate(log)
        if offset >= cut or (newest[record[0]] == offset and (tombstones or record[1] is not None))
    ]


def levels(entries: pa.Table, profile: str) -> dict[str, str]:
    """Subject -> level."""
    held, _ = held_and_refused(entries, profile)
    return {name[7:]: row["compatibility"] for name, row in held.items() if name.startswith("config ")}


@pytest.mark.wide
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_legal_history_replays_to_what_the_registry_answers(kind: str, seed: int) -> None:
    registry = history(kind, seed)
    entries = entries_of(list(enumerate(registry.log)))
    assert versions(entries, kind) == registry.answers()
    assert levels(entries, kind) == registry.levels
    _, refused = held_and_refused(entries, kind)
    lost = registry.lost if isinstance(registry, Redpanda) else []
    assert refused == [(offset, "lost-the-race") for offset in lost]
    assert len(registry.log) > STEPS / 2


@pytest.mark.wide
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_cleaner_changes_nothing_of_a_legal_history(kind: str, seed: int) -> None:
    registry = history(kind, seed)
    cuts = [*Random(seed).sample(range(len(registry.log)), 4), len(registry.log)]
    for cut in cuts:
        for tombstones in (True, False):
            entries = entries_of(cleaned(registry.log, cut, tombstones))
            assert versions(entries, kind) == registry.answers(), (cut, tombstones)
            assert levels(entries, kind) == registry.levels, (cut, tombstones)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_redpanda_journal_moved_by_one_offset_keeps_no_value(seed: int) -> None:
    registry = history("redpanda", seed)
    entries = entries_of([(offset + 1, record) for offset, record in enumerate(registry.log)])
    assert len(versions(entries, "redpanda")) <= len(registry.lost) // 2
    earlier = entries_of([(offset - 1, record) for offset, record in enumerate(registry.log) if offset])
    _, refused = held_and_refused(earlier, "redpanda")
    ahead = sum(reason == "sequence-ahead" for _, reason in refused)
    values = sum(value is not None for _, value in registry.log[1:])
    assert ahead == values - len([offset for offset in registry.lost if offset])


def test_what_cleaning_brings_back_of_a_karapace_journal_is_seen() -> None:
    """A setting that went with its subject, and versions whose DELETE_SUBJECT a later one replaced."""
    gone = [config("s"), schema("s", deleted=True), tombstone("s", empty=True)]
    assert levels(entries_of(list(enumerate(gone))), "karapace") == {}
    assert levels(entries_of(cleaned(gone, 3, True)), "karapace") == {"s": "FULL"}
    marked = [schema("s"), delete_subject("s", 1), delete_subject("s", -1)]
    assert [row[1] for row in versions(entries_of(list(enumerate(marked))), "karapace").values()] == [True]
    assert [row[1] for row in versions(entries_of(cleaned(marked, 3, True)), "karapace").values()] == [False]
