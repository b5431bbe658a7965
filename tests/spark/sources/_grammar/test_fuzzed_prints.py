"""Prints made from known records are read back byte by byte: with all optional labels, prefixes, fences, and cut ends."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from spark.sources import HEAD_BYTES, InputFile, sources
from spark.sources._wrapping import unwrap
from tests.spark.sources._grammar.made_prints import KINDS, Known, make
from tests.spark.sources.prints import read_file, saved

SAMPLE = 25
LONG = 20_000 // len(KINDS) + 1


def read_back(text: bytes, folder: Path) -> tuple[set[str], list[Known]]:
    """The layouts and records of a pasted text, without repeats."""
    found: dict[int, Known] = {}
    layouts = set()
    for pasted in unwrap(saved(text, folder), 0, folder / "prints").prints:
        layout = best(pasted.file)
        if layout is None:
            continue
        layouts.add(layout)
        for row in read_file(sources()[layout], pasted.file).records:
            known = Known(
                row["offset"], *(None if row[f"{side}_is_null"] else row[side] for side in ("key", "value"))
            )
            assert found.setdefault(known.offset, known) == known
    return layouts, [found[offset] for offset in sorted(found)]


def best(file: InputFile) -> str | None:
    head = Path(file.path).read_bytes()[:HEAD_BYTES]
    scores = {
        name: answer.score
        for name, source in sources().items()
        if (answer := source.recognise(file, head)).matches
    }
    return max(scores, key=lambda name: scores[name], default=None)


def check(kind: str, seed: int, folder: Path) -> None:
    made = make(KINDS[kind], random.Random(seed))
    layouts, records = read_back(made.text, folder)
    expected = (
        made.records[: len(records)]
        if made.is_cut and len(records) == len(made.records) - 1
        else made.records
    )
    assert records == expected, (kind, seed, layouts, made.text)
    assert not expected or layouts == {kind.split()[0]}


@pytest.mark.parametrize("kind", KINDS)
def test_records_come_back_byte_by_byte(kind: str, tmp_path: Path) -> None:
    for seed in range(SAMPLE):
        check(kind, seed, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_twenty_thousand_prints(kind: str, tmp_path: Path) -> None:
    for seed in range(SAMPLE, SAMPLE + LONG):
        check(kind, seed, tmp_path)
