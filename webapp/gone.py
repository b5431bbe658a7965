"""What a request is about was deleted while it was answered: whatever broke then broke for that reason, and is no defect."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.apps import apps
from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError, IntegrityError, connection, models
from django.http import HttpRequest

from webapp.accounts.sealing import token_hash
from webapp.jobs.models import Job, State
from webapp.journals.models import Inspection
from webapp.reports.results import ResultsGone
from webapp.sharing.models import Share

NOT_HERE = "It was deleted while this request was answered."
RESULTS_GONE = "The results of this inspection were deleted. Inspect the journal again."
PART_GONE = (
    "Something that this request names was deleted meanwhile. Load the page again, then repeat what you did."
)
SHARED = "shared"  # namespace of addresses below a link
FOREIGN_KEY = {"postgresql": "23503", "sqlite": "SQLITE_CONSTRAINT_FOREIGNKEY"}


def gone(request: HttpRequest, problem: BaseException | None) -> tuple[int, str]:
    """Status 404 or 410 and the reason if a deletion caused this error, else 0."""
    try:
        return _gone(request, problem)
    except (DatabaseError, OSError):  # nobody can say
        return 0, ""


def _gone(request: HttpRequest, problem: BaseException | None) -> tuple[int, str]:
    match = request.resolver_match
    rows = [_row(name, value) for name, value in (match.kwargs if match else {}).items()]
    if match and SHARED in match.namespaces:
        rows.append(Share.objects.filter(token_sha256=token_hash(match.kwargs.get("token", ""))).first())
    if None in rows:
        return HTTPStatus.NOT_FOUND, NOT_HERE
    if isinstance(problem, ResultsGone) or any(_lacks_results(row) for row in rows):
        return HTTPStatus.GONE, RESULTS_GONE
    if isinstance(problem, ObjectDoesNotExist) or _names_nothing(problem):
        return HTTPStatus.GONE, PART_GONE
    return 0, ""


def _row(name: str, value: Any) -> Any:
    """The row that a part of the address names; None if it was deleted; other values unchanged."""
    model = Inspection if name == "other_id" else _models().get(name.removesuffix("_id"))
    if model is None or not isinstance(value, UUID):
        return value
    return model._default_manager.filter(pk=value).first()


def _models() -> dict[str, type[models.Model]]:
    """Models with a UUID key by lower-case name."""
    return {
        model._meta.model_name or "": model
        for model in apps.get_models()
        if isinstance(model._meta.pk, models.UUIDField)
    }


def _lacks_results(row: Any) -> bool:
    """Whether the results of a finished job are gone, or a share link was closed."""
    if isinstance(row, Share) and row.why_closed:
        return True
    has_results = isinstance(row, Inspection | Share) and isinstance(row, Job) and row.state == State.DONE
    return has_results and not (row.results / "tables.json").exists()


def _names_nothing(problem: BaseException | None) -> bool:
    """Whether a foreign key refers to a deleted row."""
    if not isinstance(problem, IntegrityError):
        return False
    cause: Any = problem.__cause__
    code = getattr(cause, "sqlstate", None) or getattr(cause, "sqlite_errorname", None)
    return code == FOREIGN_KEY.get(connection.vendor)
