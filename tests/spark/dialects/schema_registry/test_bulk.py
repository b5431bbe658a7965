"""What goes in bulk comes to the rows that the readers alone would write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from spark.dialects._history import History, ReplayRun
from spark.dialects.schema_registry.bulk import bulk
from spark.dialects.schema_registry.replay import read_by, replay_bulk
from spark.tables.replica import PartitionReplica
from tests.generator.long_schemas import JOURNALS
from tests.spark.dialects.schema_registry.journals import (
    PROFILES,
    Parts,
    compact,
    config,
    delete_subject,
    entries_of,
    key,
    schema,
    tombstone,
)
from tests.spark.dialects.schema_registry.simulations import Confluent, Karapace, Redpanda

Rows = dict[str, Counter[tuple[Any, ...]]]
PORTION_ROWS = 60
SUBJECTS = (*"abcdefghijkl", ":.x:a", "")
TEXTS = ('"int"', '"long"', '"null"', "no JSON")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories reach from one batch into another."""
    monkeypatch.setattr("spark.dialects._bulk.BATCH_ROWS", PORTION_ROWS)


def in_portions(entries: pa.Table) -> list[pa.Table]:
    """The entries as the replay stage hands them on."""
    return [entries.slice(start, PORTION_ROWS) for start in range(0, entries.num_rows, PORTION_ROWS)]


def replayed(entries: pa.Table, view: str, replay: Callable[..., None]) -> tuple[Rows, list[bool]]:
    """Rows of all profiles in any order, and which of them heed deletions."""
    rows: Rows = {"state": Counter(), "refusals": Counter()}

    def write(table: str, portion: pa.Table) -> None:
        rows[table].update(tuple(row.values()) for row in portion.to_pylist())

    histories = [
        History(ReplayRun(PartitionReplica("_schemas", 0, ""), profile, view=view), write)
        for profile in PROFILES
    ]
    replay(in_portions(entries), histories)
    for history in histories:
        history.finish()
    return rows, [history.heeds_deletions for history in histories]


def assert_same(entries: pa.Table) -> None:
    """Both ways say the same, in the views that are asked otherwise."""
    found = bulk(in_portions(entries))
    assert found
    for view in ("log", "next"):
        by_bulk = replayed(entries, view, lambda portions, histories: replay_bulk(portions, histories, found))
        by_readers = replayed(entries, view, lambda portions, histories: read_by(histories, portions))
        assert by_bulk == by_readers


def some_record(random: Random, offset: int, oddness: float) -> Parts:
    """A record as any registry, or none, would write it."""
    subject, version = random.choice(SUBJECTS), random.randint(1, 4)
    sequence = random.choice(({}, {"seq": offset, "node": 1}))
    if random.random() < oddness:
        return odd_record(random, offset, subject, version)
    text = version % 3
    return random.choice((
        schema(subject, version, 10 + text, TEXTS[text], deleted=random.random() < 0.3, in_key=sequence),
        schema(subject, version, 10 + text, TEXTS[text], deleted=random.random() < 0.3, in_key=sequence),
        tombstone(subject, version, **sequence), config(subject, "FULL", **sequence), config(subject, None),
        delete_subject(subject, 4, **sequence), (key("DELETE_SUBJECT", subject), None), (key("NOOP"), None),
    ))  # fmt: skip


def odd_record(random: Random, offset: int, subject: str, version: int) -> Parts:
    """A record that registries read differently, or refuse."""
    references = [{"name": "m", "subject": "b", "version": version}]
    return random.choice((
        schema(subject, version, random.randint(10, 14), random.choice(TEXTS)),
        schema(subject, version, 11, TEXTS[1], in_key={"seq": offset + random.randint(-1, 1), "node": 1}),
        schema(subject, version, 15, "message M {}", schemaType="PROTOBUF", references=references),
        schema(subject, version, 16, "message M {}", schemaType="PROTOBUF"),
        schema(subject, version, 17, "x", schemaType="OTHER"), schema(subject, version, 18, "1", ruleSet={}),
        (key("SCHEMA", subject, version), compact({"subject": "a", "version": 3, "id": 10, "schema": TEXTS[0]})),
        tombstone(subject, version, empty=True), delete_subject(subject, version), delete_subject(subject, None),
        (key("DELETE_SUBJECT", subject), compact({"subject": subject, "version": "4"})),
        (key("MODE", subject), b'{"mode":"READONLY"}'), (key("MODE", subject), None), config(None),
        (key("CONFIG", subject), b"{}"), (key("CLEAR_SUBJECT", subject), b"{}"), (b"{", b"{}"),
        (key("SCHEMA", subject, version), b"{"), (key("WEIRD", subject), b"{}"), config(subject, seq=offset),
        (key("SCHEMA", subject, version), b"null"), (b'{"keytype":"CONFIG","subject":"a","magic":1}', None),
    ))  # fmt: skip


@pytest.mark.parametrize("oddness", [0.0, 0.02, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_any_records(seed: int, oddness: float) -> None:
    random = Random(seed)
    assert_same(entries_of(*[some_record(random, offset, oddness) for offset in range(120)]))


@pytest.mark.parametrize("registry", [Confluent, Redpanda, Karapace])
def test_legal_histories(registry: type[Confluent | Redpanda | Karapace]) -> None:
    running = registry(Random(1))
    for _ in range(120):
        running.step()
    assert_same(entries_of(*running.log))


@pytest.mark.parametrize("writer", JOURNALS)
def test_a_long_life_goes_in_bulk(writer: str) -> None:
    entries = entries_of(*JOURNALS[writer](1_000))
    found = bulk(in_portions(entries))
    assert found
    assert not found.unfit
    assert len(found.remaining) < 100
    assert_same(entries)


def test_one_odd_subject_leaves_the_others_in_bulk() -> None:
    records = [
        schema("a"),
        schema("b", 1, 2, '"int"'),
        tombstone("b", empty=True),
        schema("a", 2, 3, '"long"'),
    ]
    found = bulk([entries_of(*records)])
    assert found
    assert (found.remaining.tolist(), found.unfit) == ([1, 2], frozenset())


def test_a_reader_that_may_stop_takes_all() -> None:
    found = bulk([entries_of(schema("a"), schema("b", 1, 2, ruleSet={}))])
    assert found
    assert found.unfit == {"redpanda"}


def test_an_offset_that_comes_twice_leaves_all_to_the_readers() -> None:
    entries = entries_of(schema("a"), schema("b"))
    assert bulk([entries, entries]) is None
