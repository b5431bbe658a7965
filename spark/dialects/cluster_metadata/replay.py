"""Replay: entries -> the cluster as the controllers know it. A snapshot is replayed alone, from an empty state.

Records between BeginTransaction and EndTransaction apply from the latter on, those of an aborted or open transaction never.
The entries of a log without its head follow those of its snapshot (`snapshots`); if the input has none, missing entities
appear as rejections. Reasons of rejections:

    topic-unknown                  the topic id does not exist: a controller or broker stops with a fatal fault
    broker-unknown, broker-epoch   the broker is not registered, or has registered again since
    unreadable                     a controller cannot read the record and stops
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson
import pyarrow as pa

from spark.dialects._history import History, entry_values
from spark.dialects.cluster_metadata.cluster import APPLY, ClusterImage

Entry = tuple[Any, ...]  # offset, type, attributes


def replay(entries: Iterable[pa.Table], history: History) -> None:
    cluster = ClusterImage(history)
    waiting: list[Entry] | None = None  # entries of the open transaction
    for entry in entry_values(entries, "offset", "entry_type", "attributes"):
        offset, kind, _ = entry
        if kind == "BeginTransaction":
            waiting = []
        elif kind in ("EndTransaction", "AbortTransaction"):
            for delayed in (waiting or ()) if kind == "EndTransaction" else ():
                apply(cluster, delayed, offset)
            waiting = None
        elif kind is None:
            history.refuse(offset, "unknown", "", "unreadable")
        elif waiting is not None:
            waiting.append(entry)
        else:
            apply(cluster, entry, offset)


def apply(cluster: ClusterImage, entry: Entry, at: int) -> None:
    """One entry, which holds from offset `at` on."""
    offset, kind, attributes = entry
    change = APPLY.get(kind)
    if change:
        cluster.at, cluster.origin = at, offset
        change(cluster, orjson.loads(attributes))
