"""Whatever bytes stand in a record, every dialect gives an entry or says why there is none, and replays to the end."""

from __future__ import annotations

import json
from random import Random

import pytest

from spark.dialects import dialects
from spark.tables import ENTRIES
from tests.builders import records_table
from tests.spark.hostile_records import REAL, mutant
from tests.spark.replays import replayed

SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 60))]
MUTANTS = 150  # of each seed


def test_every_dialect_that_reads_is_tried() -> None:
    assert set(REAL) == {dialect.id for dialect in dialects().values() if dialect.interpret}


@pytest.mark.parametrize("name", REAL)
def test_the_records_begun_with_are_readable(name: str) -> None:
    dialect = dialects()[name]
    assert dialect.interpret is not None
    assert dialect.interpret(records_table(*REAL[name]())).column("decode_error").null_count == len(
        REAL[name]()
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", REAL)
def test_any_record_is_an_entry_or_says_why_it_is_none(name: str, seed: int) -> None:
    dialect, random, real = dialects()[name], Random(seed), REAL[name]()
    assert dialect.interpret is not None
    mixed = [*real, *(mutant(random, random.choice(real)) for _ in range(MUTANTS))]
    random.shuffle(mixed)
    entries = dialect.interpret(records_table(*mixed, topic="a topic"))
    assert entries.schema.equals(ENTRIES.schema)
    assert entries.column("offset").to_pylist() == list(range(len(mixed)))
    for entry in entries.to_pylist():
        assert entry["decode_error"] or entry["entry_type"], entry
        assert entry["attributes"] is None or isinstance(json.loads(entry["attributes"]), dict)
    for profile in [profile.id for profile in dialect.profiles] or [""]:
        replayed(dialect, entries, profile)
