"""Tables of Kafka's tools made from known rows are read back: with optional columns, prefixes, fences, breaks, glue and cut ends."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from spark.sources import sources
from spark.sources._wrapping import unwrap
from tests.spark.sources._grammar.made_tables import MAKERS, Fact, make
from tests.spark.sources._grammar.test_fuzzed_prints import best
from tests.spark.sources.prints import read_file, saved

SAMPLE = 40
LONG = 1_000


def check(layout: str, seed: int, folder: Path) -> None:
    made = make(layout, random.Random(seed))
    found: list[Fact] = []
    damage = 0
    for pasted in unwrap(saved(made.text.encode(), folder), 0, folder / "prints").prints:
        assert best(pasted.file) == layout, (seed, made.text)
        reading = read_file(sources()[layout], pasted.file)
        damage += len(reading.damage)
        found += [
            (row["topic"], row["partition"], row["kind"], row["offset"])
            for row in reading.others.get("printed", [])
        ]
        found += [
            (row["topic"], row["partition"], row["name"], row["value"])
            for row in reading.others.get("properties", [])
        ]
    assert not [fact for fact in made.facts if fact not in found], (seed, made.text, found)
    assert damage == made.is_cut, (seed, made.text)
    if layout not in ("kafka-topics-describe", "kafka-configs-describe"):
        assert len(found) == len(made.facts), (seed, made.text, found)


@pytest.mark.parametrize("layout", MAKERS)
def test_rows_come_back(layout: str, tmp_path: Path) -> None:
    for seed in range(SAMPLE):
        check(layout, seed, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("layout", MAKERS)
def test_thousands_of_tables(layout: str, tmp_path: Path) -> None:
    for seed in range(SAMPLE, SAMPLE + LONG):
        check(layout, seed, tmp_path)
