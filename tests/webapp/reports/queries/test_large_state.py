"""A million rows of state (three services, three views): what the State page asks is answered while one waits."""

from __future__ import annotations

import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.tables import TABLES, Manifest
from spark.tables.replica import PartitionReplica
from webapp.reports.queries.entity import what_a_record_did
from webapp.reports.queries.state import (
    ReplayView,
    StateQuery,
    changes_along,
    count_types,
    list_state,
    neighbours,
)
from webapp.reports.queries.state_differences import Side, count_differences, count_disagreements
from webapp.reports.results import Results, open_results

ENTITIES = 120_000
SERVICES = ("confluent", "karapace", "redpanda")
VIEWS = ("log", "next", "full")
PLACE = PartitionReplica("_schemas", 0)
END = 2 * ENTITIES
PLENTY_OF_SECONDS = (
    5  # far above what it takes (0.4 s on two idle cores), so that a busy machine fails nothing
)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large")
    (folder / "state").mkdir()
    names = []
    for service in SERVICES:
        for view in VIEWS:
            names.append(f"state/{service}-{view}.parquet")
            pq.write_table(
                _replay(service, view), folder / names[-1], compression="zstd", row_group_size=50_000
            )
    Manifest(folder, {"state": names}, {"state": ENTITIES * len(names)}).save()
    (folder / "report.json").write_text("{}")
    return folder


def _replay(service: str, view: str) -> pa.Table:
    """One service's intervals; cleaning takes every hundredth entity, and karapace reads every thousandth otherwise."""
    numbers = [n for n in range(ENTITIES) if view == "log" or n % 100]
    odd = service == "karapace"
    columns = {
        "topic": ["_schemas"] * len(numbers),
        "partition": [0] * len(numbers),
        "replica": [""] * len(numbers),
        "profile": [service] * len(numbers),
        "is_own": [service == "confluent"] * len(numbers),
        "view": [view] * len(numbers),
        "entity_type": ["schema" if n % 10 else "config" for n in numbers],
        "entity_id": [f"subject-{n // 20}/{n % 20 + 1}" for n in numbers],
        "attributes": [f'{{"id":{-n if odd and not n % 1000 else n},"record_offset":{n}}}' for n in numbers],
        "valid_from_offset": [2 * n for n in numbers],
        "valid_to_offset": [None if n % 3 else 2 * n + 5000 for n in numbers],
        "origin_offset": [2 * n for n in numbers],
    }
    return pa.table(columns, schema=TABLES["state"].schema)


def page(results: Results, asked: StateQuery) -> int:
    """All that one State page asks."""
    count_types(results.of(PLACE), asked)
    neighbours(results.of(PLACE), asked)
    changes_along(results.of(PLACE), asked.replay, (0, END))
    return list_state(results.of(PLACE), asked)[1]


@pytest.mark.slow
def test_a_page_of_a_million_rows_is_answered_while_one_waits(large: Path) -> None:
    own = ReplayView("confluent", "log")
    with open_results(large) as results:
        started = time.monotonic()
        at_end = page(results, StateQuery(own, END + 5000))
        lost = count_differences(
            results.of(PLACE), Side(own, END), Side(ReplayView("confluent", "next"), END)
        )
        disagreements = count_disagreements(results.of(PLACE), "log", END + 5000, len(SERVICES))
        did = what_a_record_did(results.of(PLACE), 20_000)
        assert time.monotonic() - started < PLENTY_OF_SECONDS
    assert at_end == ENTITIES - ENTITIES // 3
    assert {row["difference"] for row in lost} == {"removed"}
    assert disagreements == sum(1 for n in range(1, ENTITIES) if n % 3 and not n % 1000)
    assert [row["entity_id"] for row in did if row["is_set"]] == ["subject-500/1"]
