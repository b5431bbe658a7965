"""Errors a user can act on: what was wrong, where, and what to do."""

from __future__ import annotations

import errno

DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})  # errno of a disk or a quota without room


class ExecutorFailure(Exception):
    """An executor of a Spark cluster cannot read or write a file. The text is shown to the user as it is."""


class UnreadableInput(Exception):
    """Nothing of the input can be inspected, or a limit forbids it. The text is shown to the user as it is."""
