"""What work does while the database is away: it goes on, and keeps its outcome once the database is back."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

from webapp.database import is_away
from workers.jobs import heartbeat

logger = logging.getLogger(__name__)
PATIENCE_SECONDS, PAUSE_SECONDS = 600.0, 1.0
T = TypeVar("T")


def retry_while_away(work_id: object, call: Callable[[], T]) -> T:
    """What it returns, asked again while the database is away; an attempt's sign of life is renewed meanwhile.

    The call may have happened although its answer was lost. What is asked must stand that.
    """
    try:
        return call()
    except (OperationalError, InterfaceError) as problem:
        if not _may_wait(problem):
            raise
    logger.warning("The database is not available; %s waits for it.", work_id)
    return _retried(call, time.monotonic() + PATIENCE_SECONDS)


@contextmanager
def skipped_while_away() -> Iterator[None]:
    """Skip the block if the database is away."""
    try:
        yield
    except (OperationalError, InterfaceError) as problem:
        if not _may_wait(problem):
            raise


def _retried(call: Callable[[], T], deadline: float) -> T:
    while True:
        try:
            return call()
        except (OperationalError, InterfaceError) as problem:
            if time.monotonic() > deadline or not _may_wait(problem):
                raise
        time.sleep(PAUSE_SECONDS)


def _may_wait(problem: Exception) -> bool:
    """Whether to retry; closes the connection then."""
    if not is_away(problem) or connection.in_atomic_block or heartbeat.is_stopping():
        return False
    connection.close()
    return True
