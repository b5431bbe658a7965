"""What the service's state lost between two copies: entities first, records below.

The states at the end of both logs, as the service that owns the journal replays them. The earlier copy is the one whose log
ends first; of two that end alike the one with more records, as the log cleaner only removes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spark.compare.sides import CopyPair
from spark.compare.tables import HERE, OTHER, THERE, copy_views
from spark.difference.logs import (
    StatePair,
    count_differences,
    list_differences,
    name_differences,
)
from spark.tables.store import ResultTables
from spark.terms.entity_words import difference_sentence

ENTITIES_LISTED = 500


@dataclass(frozen=True)
class StateDifferences:
    """`before` is the side whose log is the earlier one; `counts` by kind, `same` too; `shown`: rows, the worst first."""

    before: str
    counts: dict[str, int] = field(default_factory=dict)
    shown: list[dict[str, Any]] = field(default_factory=list)
    sentence: str = ""


def state_differences(tables: ResultTables, pair: CopyPair) -> StateDifferences | None:
    """None where a side has no state: nobody replays it, or nothing of it was left."""
    if not is_replayed(tables, pair):
        return None
    before = pair.earlier
    ends = {f"{HERE}_at": pair.left.end_offset, f"{THERE}_at": pair.right.end_offset}
    states = StatePair(before, OTHER[before], pair.parameters | ends)
    return StateDifferences(
        before,
        count_differences(tables, states),
        list_differences(tables, states, ENTITIES_LISTED),
        difference_sentence(name_differences(tables, states)),
    )


def is_replayed(tables: ResultTables, pair: CopyPair) -> bool:
    """Whether both logs have a state."""
    return all(
        tables.restricted(copy_views("copy", side, pair.parameters)).row("SELECT 1 FROM copy_state LIMIT 1")
        for side in (HERE, THERE)
    )
