"""The queues of jobs, as lists in Redis. Each has a worker process of its own under the supervisor."""

from __future__ import annotations

from typing import Literal

Queue = Literal["inspections", "transfers", "quick"]
QUEUES: tuple[Queue, ...] = ("inspections", "transfers", "quick")
OLD_QUEUE = "celery"  # the one list of earlier versions; workers read what is left in it
