"""Replay: entries -> state and rejections, by the rules of the registry that the history's profile names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from spark.dialects._bulk import has_many
from spark.dialects._history import History
from spark.dialects.schema_registry.bulk import Bulk, bulk
from spark.dialects.schema_registry.confluent import ConfluentReader
from spark.dialects.schema_registry.karapace import KarapaceReader
from spark.dialects.schema_registry.reader import RegistryReplay, run
from spark.dialects.schema_registry.redpanda import RedpandaReader

READERS: dict[str, type[RegistryReplay]] = {
    reader.profile: reader for reader in (ConfluentReader, RedpandaReader, KarapaceReader)
}


def replay(entries: Iterable[pa.Table], history: History) -> None:
    read_by([history], entries)


def replay_profiles(entries: Iterable[pa.Table], histories: Sequence[History]) -> None:
    """Replays several registries together, many entries in bulk."""
    whole = bulk(entries) if has_many(entries) else None
    if whole is None:
        read_by(histories, entries)
    else:
        replay_bulk(entries, histories, whole)


def replay_bulk(entries: Iterable[pa.Table], histories: Sequence[History], whole: Bulk) -> None:
    """Bulk first; readers take the remaining entries."""
    fit = [history for history in histories if history.run.profile not in whole.unfit]
    if fit:
        read_by(fit, whole.rest(entries, fit))
    for history in fit:
        history.heeds_deletions |= whole.heeds_deletions
    if len(fit) < len(histories):
        read_by([history for history in histories if history not in fit], entries)


def read_by(histories: Sequence[History], entries: Iterable[pa.Table]) -> None:
    """Readers of these histories' profiles take all entries."""
    readers = [READERS[history.run.profile or ConfluentReader.profile](history) for history in histories]
    run(readers, entries)
