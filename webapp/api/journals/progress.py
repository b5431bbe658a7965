"""How far a run is, and the run once it is done: what several resources ask of inspections and repairs."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from redis.exceptions import RedisError

from webapp.api.rest.errors import ApiError
from webapp.journals import progress
from webapp.journals.access import get_inspection_for_user
from webapp.journals.models import Inspection, Run


def stages_of(run: Run) -> list[dict[str, Any]]:
    """As its worker last told; empty where nobody knows."""
    try:
        state = progress.read(run.pk)
    except RedisError:
        return []
    return state["stages"] if state else []


def finished(user: Any, inspection_id: UUID) -> Inspection:
    """The inspection, done; 409 while it is on its way or when it failed."""
    inspection = get_inspection_for_user(user, inspection_id)
    if inspection.state != Inspection.State.DONE:
        raise ApiError(f"This inspection is {inspection.state}, so it has no results.", status=409)
    return inspection
