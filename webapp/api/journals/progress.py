"""How far a job is, and an inspection once it is done: what several resources ask of inspections and repairs."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from redis.exceptions import RedisError

from webapp.api.rest.errors import ApiError
from webapp.jobs import progress
from webapp.jobs.models import Job
from webapp.journals.access import get_inspection_for_user
from webapp.journals.models import Inspection


def stages_of(job: Job) -> list[dict[str, Any]]:
    """As its worker last told; empty where nobody knows."""
    try:
        state = progress.read(job.pk)
    except RedisError:
        return []
    return state["stages"] if state else []


def finished(user: Any, inspection_id: UUID) -> Inspection:
    """The inspection, done; 409 while it is on its way or when it failed."""
    inspection = get_inspection_for_user(user, inspection_id)
    if inspection.state != Inspection.State.DONE:
        raise ApiError(f"This inspection is {inspection.state}, so it has no results.", status=409)
    return inspection
