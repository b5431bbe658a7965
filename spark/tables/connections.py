"""The one place where DuckDB is opened, in memory and empty, with the bounds of who asks.

TASK     within a Spark task; a thread keeps its instance, because making one costs more than most questions do
COMPARE  two inspections within a Spark task
PAGE     for a web request: one instance per process. Results never change, so that what it remembers of files needs no check
REDACT   a share's tables out of an inspection's
PORTION  entries of a partition, some at a time
SQL      a query that somebody typed, in a process of its own; `lock` it before it sees the text
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as DuckDBPyConnection
    from duckdb import Statement as Statement

QueryError = duckdb.Error  # whatever DuckDB has against a query
SETTINGS = ("enable_progress_bar = false", "autoinstall_known_extensions = false")
OF_PAGES = (
    "TimeZone = 'UTC'", "parquet_metadata_cache = true", "validate_external_file_cache = 'NO_VALIDATION'",
)  # fmt: skip
OF_SQL = ("TimeZone = 'UTC'", "errors_as_json = true", "temp_directory = ''")
LOCK = (
    "python_enable_replacements = false", "autoload_known_extensions = false", "allow_community_extensions = false",
    "allow_persistent_secrets = false", "enable_external_access = false", "lock_configuration = true",
)  # fmt: skip


@dataclass(frozen=True)
class ConnectionProfile:
    """Bounds of an instance, and who shares it: a connection alone, those of a thread, those of the process."""

    threads: int
    memory: str
    shared_by: str = "nobody"
    settings: tuple[str, ...] = ()


TASK = ConnectionProfile(1, "512MB", "thread")
COMPARE = ConnectionProfile(1, "1GB")
# A page must not take the machine from an inspection that runs.
PAGE = ConnectionProfile(2, "1GB", "process", OF_PAGES)
REDACT = ConnectionProfile(2, "1GB")
PORTION = ConnectionProfile(1, "512MB")
SQL = ConnectionProfile(2, "512MB", settings=OF_SQL)

_of_thread = threading.local()
_of_process: dict[tuple[int, ConnectionProfile], DuckDBPyConnection] = {}
_opening = threading.Lock()


def connect(profile: ConnectionProfile, spill: str | None = None) -> DuckDBPyConnection:
    """A connection of its own. `spill`: a folder for what does not fit into memory; empty: there is none."""
    if profile.shared_by == "nobody":
        return _instance(profile, spill)
    if profile.shared_by == "thread":
        return _thread_instance(profile, spill).cursor()
    with _opening:
        key = os.getpid(), profile
        if key not in _of_process:
            _of_process[key] = _instance(profile, spill)
        return _of_process[key].cursor()


def lock(connection: DuckDBPyConnection, paths: Sequence[str]) -> None:
    """From here on the connection reads these files and no other, writes none, loads no extension and changes no setting."""
    listed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    for setting in (f"allowed_paths = [{listed}]", *LOCK):
        connection.execute(f"SET {setting}")


def _thread_instance(profile: ConnectionProfile, spill: str | None) -> DuckDBPyConnection:
    made_by, instance = getattr(_of_thread, "instance", (None, None))
    if instance is None or made_by != os.getpid():
        instance = _instance(profile, None)
        _of_thread.instance = os.getpid(), instance
    try:
        _spill_to(instance, spill)
    except duckdb.Error:  # it has spilled already, and then it keeps its folder
        del _of_thread.instance
        return _thread_instance(profile, spill)
    return instance


def _instance(profile: ConnectionProfile, spill: str | None) -> DuckDBPyConnection:
    config: Any = {"threads": profile.threads, "memory_limit": profile.memory}
    connection = duckdb.connect(":memory:", config=config)
    for setting in (*SETTINGS, *profile.settings):
        connection.execute(f"SET {setting}")
    _spill_to(connection, spill)
    return connection


def _spill_to(connection: DuckDBPyConnection, spill: str | None) -> None:
    if spill:  # DuckDB makes the folder itself, not those above it
        Path(spill).parent.mkdir(parents=True, exist_ok=True)
    if spill is not None:
        connection.execute("SET temp_directory = '" + spill.replace("'", "''") + "'")
