"""Random legal histories of a Connect cluster: every cut of the cleaner leaves the state, one fault is one finding."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from spark.detectors.connect.connector_incomplete import detector
from spark.dialects.connect import dialect
from tests.builders import records_table
from tests.spark.connect_journals import Pair, findings, record
from tests.spark.replays import replayed

NAMES = ("a", "b-1", "c")
Records = list[dict[str, Any]]


def operations(random_: random.Random, count: int) -> Iterator[list[Pair]]:
    """What workers write for one request after the other; `expected` follows from the last of each connector."""
    alive: set[str] = set()
    for number in range(count):
        name = random_.choice(NAMES)
        if name in alive and random_.random() < 0.25:
            alive.discard(name)
            yield [(f"connector-{name}", None), (f"target-state-{name}", None)]
        elif name in alive and random_.random() < 0.25:
            state = random_.choice(("PAUSED", "STARTED"))
            yield [(f"target-state-{name}", {"state": state, "state.v2": state})]
        else:
            alive.add(name)
            yield whole_set(name, random_.randint(0, 4), number)


def whole_set(name: str, tasks: int, number: int) -> list[Pair]:
    properties = {"properties": {"number": str(number)}}
    configs: list[Pair] = [(f"task-{name}-{n}", properties) for n in range(tasks)]
    return [(f"connector-{name}", properties), *configs, (f"commit-{name}", {"tasks": tasks})]


def history(seed: int) -> tuple[Records, dict[str, str]]:
    """Records, and the state that the cluster then has."""
    random_ = random.Random(seed)
    records: Records = []
    held: dict[str, str] = {}
    for written in operations(random_, 30):
        for key, value in written:
            records.append(record(len(records), (key, value)))
        apply(written, held)
    return records, held


def apply(written: list[Pair], held: dict[str, str]) -> None:
    """What an operation, always whole, does: the simulation knows nothing of commits."""
    first, value = written[0]
    kind, _, name = str(first).partition("-")
    if kind == "target":
        held[f"target-state:{str(first).removeprefix('target-state-')}"] = value["state"]
        return
    for entity in [
        entity for entity in held if entity == f"connector:{name}" or entity.startswith(f"task:{name}/")
    ]:
        del held[entity]
    if value is None:
        held.pop(f"target-state:{name}", None)
        return
    held[f"connector:{name}"] = value["properties"]["number"]
    for number in range(written[-1][1]["tasks"]):
        held[f"task:{name}/{number}"] = value["properties"]["number"]


def cleaned(records: Records, end: int, keeps_tombstones: bool) -> Records:
    """What the cleaner leaves when it cleans all offsets below `end`."""
    newest = {row["key"]: row["offset"] for row in records[:end]}
    left = [row for row in records[:end] if newest[row["key"]] == row["offset"]]
    return [row for row in left if keeps_tombstones or row["value"] is not None] + records[end:]


def state(records: Records) -> dict[str, str]:
    """What replay gives."""
    assert dialect.interpret is not None
    rows, _ = replayed(dialect, dialect.interpret(records_table(*records)))
    return {
        f"{row['entity_type']}:{row['entity_id']}": row["attributes"].split('"')[-2]
        for row in rows.to_pylist()
        if row["valid_to_offset"] is None
    }


@pytest.mark.parametrize("seed", range(5))
def test_replay_gives_the_state_under_every_cut_of_the_cleaner(seed: int) -> None:
    records, held = history(seed)
    assert state(records) == held
    random_ = random.Random(seed)
    for keeps_tombstones in (True, False):
        for end in [len(records), *random_.sample(range(len(records)), 4)]:
            assert state(cleaned(records, end, keeps_tombstones)) == held
    assert findings(detector, cleaned(records, random_.randrange(len(records)), False)) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_worker_that_dies_before_its_commit_is_one_finding_before_and_after_cleaning(seed: int) -> None:
    records, _ = history(seed)
    pairs = whole_set("a", 3, 98) + whole_set("a", 3, 99)[:-2]
    records += [record(len(records) + n, pair) for n, pair in enumerate(pairs)]
    for left in (records, cleaned(records, len(records), keeps_tombstones=False)):
        (finding,) = findings(detector, left)
        assert finding.entity == "connector:a"
        assert finding.last_offset == len(records) - 1
    assert not any(name.startswith("task:a/") for name in state(cleaned(records, len(records), True)))
