"""Replay: entries -> state and refusals, by the rules of the registry that the history's profile names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from spark.dialects._history import History
from spark.dialects.schema_registry.confluent import ConfluentReader
from spark.dialects.schema_registry.karapace import KarapaceReader
from spark.dialects.schema_registry.reader import Reader, run
from spark.dialects.schema_registry.redpanda import RedpandaReader

READERS: dict[str, type[Reader]] = {
    reader.profile: reader for reader in (ConfluentReader, RedpandaReader, KarapaceReader)
}


def replay(entries: Iterable[pa.Table], history: History) -> None:
    """What one partition's entries make of the registry that reads them."""
    replay_profiles(entries, [history])


def replay_profiles(entries: Iterable[pa.Table], histories: Sequence[History]) -> None:
    """The same for several registries at once."""
    readers = [READERS[history.run.profile or ConfluentReader.profile](history) for history in histories]
    run(readers, entries)
