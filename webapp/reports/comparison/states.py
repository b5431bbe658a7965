"""What differs between the service's states of two sides: as the comparison noted it for the ends of the logs, or asked of
the tables for other offsets and for swapped sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from spark.difference.logs import (
    StatePair,
    count_differences,
    list_differences,
    name_differences,
)
from spark.tables import Manifest
from spark.tables.connections import PAGE
from spark.tables.store import ResultTables, Rows
from spark.terms.entity_words import difference_sentence
from spark.terms.installation import COMMAND_NAME
from webapp.reports.comparison.sides import LEFT, REPLICA_COLUMNS, RIGHT, SidePair, earlier_side

ENTITIES_LISTED = 500
SECONDS = 20
GONE = "The results of one of the two inspections no longer exist. Inspect that journal again."
SLOW = f"The states have more differences than {SECONDS} s are enough for. Use {COMMAND_NAME} compare --json."


@dataclass(frozen=True)
class StateSelection:
    """What the address asks for. `before`: left, right or empty; offsets are for the pair of copies of this `number`."""

    before: str = ""
    number: int = 0
    before_at: int | None = None
    after_at: int | None = None
    kind: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> StateSelection:
        """From query parameters; invalid values are ignored."""
        before = query.get("before", "")
        return cls(
            before if before in (LEFT, RIGHT) else "",
            _offset(query.get("pair")) or 0,
            _offset(query.get("before_at")),
            _offset(query.get("after_at")),
            query.get("kind", ""),
        )

    def before_of(self, entry: dict[str, Any]) -> str:
        """Which of left and right is Before."""
        return self.before or earlier_side(entry)

    def offsets(self, number: int, pair: SidePair) -> tuple[int, int]:
        """The offsets as of which the states of a pair of copies are shown, at most the ends of the logs."""
        ends = pair.before.end_offset, pair.after.end_offset
        if number != self.number:
            return ends
        before_at, after_at = self.before_at, self.after_at
        return (
            ends[0] if before_at is None else min(before_at, ends[0]),
            ends[1] if after_at is None else min(after_at, ends[1]),
        )


def _offset(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None


@dataclass(frozen=True)
class StatesShown:
    """Differences as docs/compare.md has them under `entities`; `problem`: why there are none, in words."""

    counts: dict[str, int]
    rows: list[dict[str, Any]]
    sentence: str
    problem: str = ""


def states_of(entry: dict[str, Any], pair: SidePair, at: tuple[int, int]) -> StatesShown | None:
    """The states at these offsets; None if a side has no state."""
    noted = entry.get("entities")
    if not noted:
        return None
    is_noted = pair.before.side == noted["before"] and at == (pair.before.end_offset, pair.after.end_offset)
    if is_noted:
        return StatesShown(noted["counts"], noted["shown"], noted.get("sentence", ""))
    try:
        return _read(pair, at)
    except (OSError, ValueError, KeyError):
        return StatesShown({}, [], "", GONE)
    except TimeoutError:
        return StatesShown({}, [], "", SLOW)


def every_difference(pair: SidePair, at: tuple[int, int], limit: int) -> Rows:
    """Up to `limit` differences, the worst first: more than a page lists."""
    with _opened(pair) as tables:
        return list_differences(tables, _states(pair, at), limit)


def _read(pair: SidePair, at: tuple[int, int]) -> StatesShown:
    states = _states(pair, at)
    with _opened(pair) as tables:
        return StatesShown(
            count_differences(tables, states),
            list_differences(tables, states, ENTITIES_LISTED),
            difference_sentence(name_differences(tables, states)),
        )


@contextmanager
def _opened(pair: SidePair) -> Iterator[ResultTables]:
    """The tables of both sides; a TimeoutError ends questions that take too long."""
    manifests = [Manifest.load(pair.by_name(side).inspection.results) for side in (LEFT, RIGHT)]
    with (
        ResultTables.open(*manifests, profile=PAGE, prefixes=(f"{LEFT}_", f"{RIGHT}_")) as tables,
        tables.deadline(SECONDS),
    ):
        yield tables


def _states(pair: SidePair, at: tuple[int, int]) -> StatePair:
    values: dict[str, Any] = {}
    for side, offset in zip(pair.in_order, at, strict=True):
        values |= {f"{side.side}_{member}": side.copy[member] for member in REPLICA_COLUMNS} | {
            f"{side.side}_at": offset
        }
    return StatePair(pair.before.side, pair.after.side, values)
