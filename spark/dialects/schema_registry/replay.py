"""Replay: entries -> state and refusals, by the rules of the registry that the history's profile names."""

from __future__ import annotations

from collections.abc import Iterable

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
    run(READERS[history.run.profile or ConfluentReader.profile](history), entries)
