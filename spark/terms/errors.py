"""Errors a user can act on: what was wrong, where, and what to do."""

from __future__ import annotations

import errno
from typing import Any, Literal

DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})  # errno of a disk or a quota without room


class ExecutorFailure(Exception):
    """An executor cannot read or write a file, or its Python processes were killed. Users see the text."""


class UnreadableInput(Exception):
    """The input cannot be inspected, or a limit forbids it. Users see the text.

    `stop`: where reading stopped, the document of `spark.sources._not_a_journal.place`; None if that is no place in a file.
    """

    def __init__(self, text: str, stop: dict[str, Any] | None = None) -> None:
        super().__init__(text)
        self.stop = stop


class UnknownColumns(UnreadableInput):
    """A table or JSON whose columns a user must name. `question`: the document that `spark.sources._columns.question` describes."""

    def __init__(self, question: dict[str, Any]) -> None:
        super().__init__(question["sentence"])
        self.question = question


Effect = Literal["skipped", "tombstone", "fatal"]


class Unreadable(ValueError):
    """A service cannot read a key or value; the message says why and what the service does then.

    effect      skipped: as if the record did not exist | tombstone: as if its value were null | fatal: the service
                stops, or does not start
    is_foreign  no version of the service writes such a record: it belongs to something else
    """

    def __init__(self, why: str, effect: Effect = "skipped", is_foreign: bool = False) -> None:
        super().__init__(why)
        self.effect = effect
        self.is_foreign = is_foreign

    @property
    def marks(self) -> dict[str, Any]:
        """The same as attributes of the entry, for detectors."""
        return {"effect": self.effect, **({"foreign": True} if self.is_foreign else {})}
