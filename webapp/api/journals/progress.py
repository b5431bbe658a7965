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
    """As the worker last reported them; empty if there is no report."""
    try:
        state = progress.read(job.pk)
    except RedisError:
        return []
    return state["stages"] if state else []


def finished(user: Any, inspection_id: UUID) -> Inspection:
    """Raises ApiError (409) for an inspection that is not done."""
    inspection = get_inspection_for_user(user, inspection_id)
    if inspection.state != Inspection.State.DONE:
        raise ApiError(f"This inspection is {inspection.state}, so it has no results.", status=409)
    return inspection
