"""Replay: views that hold the same are replayed once, and say what a replay of their own would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from spark.dialects import dialects
from spark.stages import replay
from spark.stages.replay import ReplayTask, replay_view, rounds
from spark.tables import Manifest
from spark.tables.store import ResultTables
from tests.generator import long_apicurio, long_log, long_schemas
from tests.generator.registry import TOPIC
from tests.spark.whole_pipeline import report_of

ENTRIES = 3_000
KeyValues = Iterator[tuple[bytes, bytes | None]]
JOURNALS: dict[str, tuple[str, str, Callable[[int], KeyValues]]] = {
    "apicurio": ("apicurio-v2", TOPIC, long_apicurio.journal),
    **{
        writer: ("schema-registry", long_schemas.TOPIC, journal)
        for writer, journal in long_schemas.JOURNALS.items()
    },
}


def rows(manifest: Manifest, table: str, view: str) -> list[dict[str, Any]]:
    """Rows of a view."""
    return ResultTables.open(manifest).rows(f"SELECT * FROM {table} WHERE view = '{view}'")


def counted(manifest: Manifest, table: str, view: str) -> Counter[tuple[Any, ...]]:
    """The same in any order."""
    return Counter(tuple(row.values()) for row in rows(manifest, table, view))


@pytest.fixture(params=JOURNALS)
def inspected(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Manifest, ReplayTask]:
    """A journal's tables, and the replay of what the last cleaning leaves of it, by the rules of every profile."""
    dialect, topic, journal = JOURNALS[request.param]
    long_log.write_segments(tmp_path / "input", topic, journal(ENTRIES))
    report_of(tmp_path / "input", tmp_path / "results")
    manifest = Manifest.load(tmp_path / "results")
    profiles = tuple(profile.id for profile in dialects()[dialect].profiles) or ("",)
    owner = "" if profiles == ("",) else request.param
    return manifest, ReplayTask(99, dialect, (topic, 0, ""), profiles, owner, ("full",))


def test_rows_written_again_are_those_of_a_replay(inspected: tuple[Manifest, ReplayTask]) -> None:
    manifest, task = inspected
    parts = replay_view(task, "full", task.profiles, manifest).parts
    alone = Manifest(manifest.folder, {}, {}).with_parts(parts)
    assert counted(manifest, "state", "full")
    for table in ("state", "refusals"):
        assert counted(manifest, table, "full") == counted(alone, table, "full")


def test_deletions_that_change_nothing_need_no_replay_without_them(
    inspected: tuple[Manifest, ReplayTask],
) -> None:
    manifest, task = inspected
    alike = replay_view(task, "next", task.profiles, manifest).alike
    assert alike == list(task.profiles)


def test_a_deletion_that_does_something_is_heeded(tmp_path: Path) -> None:
    """A null under another form of a schema's key deletes the schema, until it is cleaned away."""
    old = b'{"subject":"s","version":1,"magic":1,"keytype":"SCHEMA"}'
    new = b'{"keytype":"SCHEMA","subject":"s","version":1,"magic":1}'
    value = b'{"subject":"s","version":1,"id":1,"schema":"\\"string\\"","deleted":false}'
    manifest = journal_of(tmp_path, (old, value), (new, None))
    held = {
        view: {
            (row["entity_type"], row["entity_id"]) for row in rows(manifest, "state", view) if is_open(row)
        }
        for view in replay.VIEWS
    }
    assert held == {"log": set(), "next": set(), "full": {("schema", "s/1")}}


def test_a_null_that_one_registry_refuses_is_refused_until_it_is_cleaned_away(tmp_path: Path) -> None:
    manifest = journal_of(tmp_path, (b'{"keytype":"DELETE_SUBJECT","subject":"s","magic":0}', None))
    refusing = {view: [row["profile"] for row in rows(manifest, "refusals", view)] for view in replay.VIEWS}
    assert refusing == {"log": ["karapace"], "next": ["karapace"], "full": []}


def journal_of(folder: Path, *records: tuple[bytes, bytes | None]) -> Manifest:
    """The tables of a `_schemas` journal of these records and a start of the registry."""
    noop = (b'{"keytype":"NOOP","magic":0}', b"")
    long_log.write_segments(folder / "input", long_schemas.TOPIC, iter([*records, noop]))
    report_of(folder / "input", folder / "results")
    return Manifest.load(folder / "results")


def is_open(row: dict[str, Any]) -> bool:
    """Whether the entity is there at the end."""
    return row["valid_to_offset"] is None


def test_all_profiles_are_replayed_together_and_a_log_without_cleaning_once() -> None:
    registry, commands = dialects()["schema-registry"], dialects()["ksqldb-commands"]
    profiles = ("confluent", "redpanda", "karapace")
    assert rounds(registry) == [(("log",), profiles), (("next", "full"), profiles)]
    assert rounds(commands) == [(replay.VIEWS, ("",))]
