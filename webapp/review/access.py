"""Who may see, comment and judge findings. What one may not see is 404.

Whoever sees a journal sees its findings; support comments, a reviewer judges.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from webapp.accounts.models import ROLES, Project
from webapp.accounts.roles import has_role, projects_for_user
from webapp.rejected import Rejected
from webapp.review.models import Finding, FindingQuerySet, SavedFilter


def findings_for_user(user: Any, role: str = "viewer") -> FindingQuerySet:
    """Findings of the user's journals; with a role: of projects in which they have it."""
    return Finding.objects.filter(journal__project__in=projects_for_user(user, role))


def get_finding_for_user(user: Any, finding_id: int) -> Finding:
    related = ("journal", "project", "assignee", "last_inspection")
    return get_object_or_404(findings_for_user(user).select_related(*related), pk=finding_id)


def get_findings_for_user(user: Any, ids: set[int]) -> FindingQuerySet:
    """All of these findings, or 404. Read-only ones are included: deciding about them is refused later."""
    findings = findings_for_user(user).filter(pk__in=ids)
    if findings.count() != len(ids):
        raise Http404
    return findings


def get_assignee(user: Any, name: str) -> Any:
    """A user by name, or `me` with all roles, whatever the scopes of a token."""
    named = {"pk": user.pk} if name == "me" else {"username": name, "is_active": True}
    person = get_user_model().objects.filter(**named).first()
    if person is None:
        raise Rejected(f"{name[:150]} does not review findings in the project of this finding.")
    return person


def can_judge(user: Any, project_id: int) -> bool:
    """Whether the user may decide about findings of the project."""
    return has_role(user, "reviewer", project_id)


def can_comment(user: Any, project_id: int) -> bool:
    """Whether the user may comment on findings of the project."""
    return has_role(user, "support", project_id)


def members_of(project_ids: Any, role: str = "viewer") -> QuerySet[Any]:
    """Active users with at least this role in one of the projects."""
    roles = ROLES[ROLES.index(role) :]
    belongs = Q(memberships__project__in=project_ids, memberships__role__in=roles)
    return get_user_model().objects.filter(belongs, is_active=True).distinct().order_by("username")


def filters_for_user(user: Any) -> QuerySet[SavedFilter]:
    """The user's own filters, shared filters of records in their projects, and of the queue where they review."""
    own = Q(owner=user, project=None)
    of_queues = Q(journal_type="", project__in=projects_for_user(user, "reviewer"))
    of_records = ~Q(journal_type="") & Q(project__in=projects_for_user(user))
    return SavedFilter.objects.filter(own | of_queues | of_records).select_related("project", "owner")


def queue_filters(user: Any) -> QuerySet[SavedFilter]:
    return filters_for_user(user).filter(journal_type="")


def record_filters(user: Any, journal_type: str, project_id: int) -> QuerySet[SavedFilter]:
    """Those that a report of the project offers for a topic of this journal type."""
    of_journal = Q(project=None) | Q(project=project_id)
    return filters_for_user(user).filter(of_journal, journal_type=journal_type)


def get_filter_for_user(user: Any, filter_id: int) -> SavedFilter:
    return get_object_or_404(filters_for_user(user), pk=filter_id)


def require_changing(user: Any, saved: SavedFilter) -> None:
    """Raise 403 for users of a shared filter who may not change it."""
    if not can_change_filter(user, saved):
        raise PermissionDenied(
            "Only its owner, or an admin of the project, changes or deletes a shared filter."
        )


def project_to_share_with(user: Any, slug: str) -> Project | None:
    """The project to share a filter with, or 404; None without a slug."""
    return get_object_or_404(projects_for_user(user, "reviewer"), slug=slug) if slug else None


def can_change_filter(user: Any, saved: SavedFilter) -> bool:
    """Allowed for its owner and admins of the project that shares it."""
    return saved.owner_id == user.pk or (
        saved.project_id is not None and has_role(user, "admin", saved.project_id)
    )
