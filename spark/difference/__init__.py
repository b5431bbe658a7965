"""The difference between two states of a service, entity by entity.

    lost      only the state before has the entity
    changed   both have it, with other members
    revived   only the state after has it

Here for states in memory; `pairs.py` for rows of the table `state`, in SQL; `logs.py` for two logs, where records tell a loss
from a deletion. Which members count differs by the question: `members.py`. Docs: decision 0037.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

Change = Literal["lost", "changed", "revived"]
Key = TypeVar("Key", bound=Hashable)
Before = TypeVar("Before")
After = TypeVar("After")


@dataclass(frozen=True)
class StateChanges(Generic[Key]):
    """Entities that differ, by the kind of their change; their key is type and id, with the replica where there are several."""

    lost: frozenset[Key] = frozenset()
    changed: frozenset[Key] = frozenset()
    revived: frozenset[Key] = frozenset()

    @property
    def by_entity(self) -> dict[Key, Change]:
        kinds: tuple[Change, ...] = ("lost", "changed", "revived")
        return {key: kind for kind in kinds for key in getattr(self, kind)}

    def __or__(self, other: StateChanges[Key]) -> StateChanges[Key]:
        """What changes by either; an entity may be lost in one and changed in the other."""
        return StateChanges(
            self.lost | other.lost, self.changed | other.changed, self.revived | other.revived
        )


def changes_between(
    before: Mapping[Key, Before], after: Mapping[Key, After], is_same: Callable[[Key, Before, After], bool]
) -> StateChanges[Key]:
    """`is_same`: whether an entity that both states have is the same in both; asked of no other."""
    common = before.keys() & after.keys()
    return StateChanges(
        frozenset(before.keys() - common),
        frozenset(key for key in common if not is_same(key, before[key], after[key])),
        frozenset(after.keys() - common),
    )
