"""A task works under the id of the request that sent it; one line when it begins, one when it ends.

Importing this connects it to Celery's signals.
"""

from __future__ import annotations

import logging
import time
from contextlib import ExitStack
from typing import Any

from celery import signals

from webapp import tracing

logger = logging.getLogger(__name__)
QUIET = {"journalscope.housekeeping"}  # every ten seconds
_under_way: dict[str, tuple[ExitStack, float]] = {}


@signals.task_prerun.connect
def begin(task_id: str, task: Any, args: Any = (), **_: Any) -> None:
    """Take the id from the message's headers; a task that the scheduler sent has one of its own."""
    header = (getattr(task.request, "headers", None) or {}).get(tracing.HEADER) or ""
    stack = ExitStack()
    stack.enter_context(tracing.traced(tracing.checked(header)))
    _under_way[task_id] = stack, time.monotonic()
    if task.name not in QUIET:
        logger.info("A task begins.", extra={"task": task.name, "about": _about(args)})


@signals.task_postrun.connect
def end(task_id: str, task: Any, args: Any = (), state: str = "", **_: Any) -> None:
    stack, began = _under_way.pop(task_id, (ExitStack(), time.monotonic()))
    if task.name not in QUIET:
        seconds = round(time.monotonic() - began, 3)
        facts = {"task": task.name, "about": _about(args), "outcome": state, "seconds": seconds}
        logger.info("A task ended.", extra=facts)
    stack.close()


def _about(args: Any) -> str:
    """Tasks take ids only."""
    return ", ".join(str(arg) for arg in args)[:200]
