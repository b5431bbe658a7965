"""Every wrapping around every print, alone and in twos: the same records, nothing unreadable, as without it."""

from __future__ import annotations

import random
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from spark.sources import InputFile
from spark.sources._wrapping.written import in_upload, read_split
from spark.stages.plan import InspectionPlan, plan_inputs
from tests.spark.sources._wrapping.wrappings import LAYERS, prints

SEED, SAMPLE, ALL = 15, 60, 2_000
PLACES = ("file", "batch_position", "position")  # they differ: something stands before
NOT_TEXT = ("utf-16",)  # of prints that are no valid UTF-8
# One wrapping undoes another, or both together are no text that anybody pastes.
NEVER = {("utf-16", "any-outer"), ("bom", "any-outer"), ("crlf", "any-outer"), ("escaped", "escaped")}

Combination = tuple[str, str, str]  # print, inner wrapping, outer wrapping or ""


def combinations() -> list[Combination]:
    """2,000 of all, always the same ones, every wrapping alone among them."""
    alone = [(name, layer, "") for name, layer in product(prints(), LAYERS)]
    twos = [
        (name, inner, outer)
        for name, inner, outer in product(prints(), LAYERS, LAYERS)
        if inner != outer and (inner, "any-outer") not in NEVER
    ]
    chosen = random.Random(SEED)
    chosen.shuffle(twos)
    found = [*alone, *twos[: ALL - len(alone)]]
    chosen.shuffle(found)
    return [one for one in found if is_possible(one)]


def is_possible(combination: Combination) -> bool:
    """Whether the print can be written so."""
    name, *layers = combination
    return not set(layers) & set(NOT_TEXT) or is_utf_8(prints()[name])


def is_utf_8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def wrapped(combination: Combination) -> bytes:
    name, inner, outer = combination
    content = LAYERS[inner](prints()[name])
    return LAYERS[outer](content) if outer else content


def read(content: bytes, folder: Path) -> tuple[InspectionPlan, dict[str, list[dict[str, Any]]]]:
    """The plan of a file with this content, and the rows of all its tables, without their places."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "paste.txt"
    path.write_bytes(content)
    planned = plan_inputs([InputFile(path.name, str(path), len(content))], {}, None, folder / "prints")
    rows: dict[str, list[dict[str, Any]]] = {}
    for chunk in (chunk for split in planned.splits for chunk in read_split(split)):
        tables = {"records": chunk.records, "batches": chunk.batches, "damage": chunk.damage, **chunk.others}
        for name, table in tables.items():
            if table is not None:
                rows.setdefault(name, []).extend(without_places(table))
    return planned, rows


@cache
def read_bare(name: str, folder: Path) -> tuple[InspectionPlan, dict[str, list[dict[str, Any]]]]:
    """The same of a print as the tool wrote it."""
    return read(prints()[name], folder)


def without_places(table: pa.Table) -> list[dict[str, Any]]:
    drop = [name for name in PLACES if name in table.column_names and name not in ("position",)]
    return list(table.drop_columns(drop).to_pylist())


def difference(combination: Combination, folder: Path) -> str:
    """What is read otherwise than without the wrapping; empty for nothing."""
    bare_plan, bare = read_bare(combination[0], folder / "bare")
    try:
        found_plan, found = read(wrapped(combination), folder / "wrapped")
    except Exception as problem:
        return f"{combination}: {str(problem)[:160]}"
    layouts = [row["layout"] for row in bare_plan.files], [row["layout"] for row in found_plan.files]
    if layouts[0] != layouts[1]:
        return f"{combination}: read as {layouts[1]}"
    for name in sorted({*bare, *found} - {"batches"}):
        if bare.get(name) != found.get(name):
            return f"{combination}: {name}: {first_difference(bare.get(name, []), found.get(name, []))}"
    return ""


def first_difference(one: list[Any], two: list[Any]) -> str:
    if len(one) != len(two):
        return f"{len(two)} rows instead of {len(one)}; {str(two[-1:])[:300]}"
    a, b = next((a, b) for a, b in zip(one, two, strict=True) if a != b)
    return str({key: (a[key], b[key]) for key in a if a[key] != b[key]})[:300]


@pytest.mark.heavy
def test_a_sample_of_all_wrappings_changes_nothing(tmp_path: Path) -> None:
    found = [difference(one, tmp_path) for one in combinations()[:SAMPLE]]
    assert [text for text in found if text] == []


@pytest.mark.long
def test_no_wrapping_of_two_thousand_changes_anything(tmp_path: Path) -> None:
    found = [difference(one, tmp_path) for one in combinations()[SAMPLE:]]
    assert [text for text in found if text] == []


def test_a_print_of_the_same_path_in_the_next_inspection_has_places_of_its_own(tmp_path: Path) -> None:
    for shift in (7, 70):
        np.save(tmp_path / "0-0.lines.npy", np.array([[0, 10], [shift, shift + 10]]))
        assert in_upload(str(tmp_path / "0-0"), np.array([3])).tolist() == [shift + 3]
