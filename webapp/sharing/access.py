"""Who may see and revoke which shares, and which share a token opens."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from webapp.accounts.access import require_role
from webapp.accounts.roles import projects_for_user
from webapp.accounts.sealing import token_hash
from webapp.journals.access import get_inspection_for_user
from webapp.journals.models import Inspection
from webapp.sharing.models import Share


def shares_for_user(user: Any) -> QuerySet[Share]:
    """Shares of the projects in which the user may share."""
    return Share.objects.filter(project__in=projects_for_user(user, "support"))


def get_share_for_user(user: Any, share_id: UUID | str) -> Share:
    shares = shares_for_user(user).select_related("project", "created_by", "inspection")
    return get_object_or_404(shares, pk=share_id)


def get_shareable_inspection(user: Any, inspection_id: UUID) -> Inspection:
    """An inspection with a report, for who may share in its project; else 403 or 404."""
    inspection = get_inspection_for_user(user, inspection_id)
    require_role(user, "support", inspection.journal.project_id)
    if inspection.state != Inspection.State.DONE:
        raise Http404("There is no report to share yet.")
    return inspection


def share_of_token(token: str) -> Share | None:
    """The share that a link opens, whatever its state; None for no token of ours."""
    return Share.objects.filter(token_sha256=token_hash(token)).select_related("project").first()
