"""What is done to projects and memberships, each with its line in the audit log."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.text import slugify

from webapp.accounts.models import Membership, Project
from webapp.audit import log
from webapp.rejected import Rejected


@transaction.atomic
def create(name: str) -> Project:
    project = Project.objects.create(name=name, slug=_free_slug(name))
    log.record("project.created", project_id=project.pk, target=project)
    return project


@transaction.atomic
def change(project: Project, action: str, values: dict[str, Any], **detail: Any) -> None:
    """Set columns of a project; `action` and `detail` become an entry of the audit log."""
    for name, value in values.items():
        setattr(project, name, value)
    project.save(update_fields=list(values))
    log.record(action, project_id=project.pk, target=project, **detail)


@transaction.atomic
def delete(project: Project) -> None:
    """Delete a project that has no journals. Raises Rejected."""
    count = project.journals.count()
    if count:
        noun = "journal is" if count == 1 else "journals are"
        raise Rejected(f"{count:,} {noun} in {project}. Move or delete them first.", HTTPStatus.CONFLICT)
    if project.is_on_hold:
        raise Rejected(f"{project} is under legal hold. End the hold first.", HTTPStatus.CONFLICT)
    log.record("project.deleted", project_id=project.pk, target=project)
    project.delete()


def find_user(text: str) -> Any:
    """The active user with this name or e-mail address. Raises Rejected."""
    users = get_user_model().objects.filter(Q(username=text) | Q(email__iexact=text), is_active=True)
    match list(users[:2]):
        case [user]:
            return user
        case []:
            raise Rejected(
                "No account has this user name or e-mail address. Invite the person instead.",
                HTTPStatus.CONFLICT,
            )
    raise Rejected("Several accounts have this e-mail address. Use the user name.", HTTPStatus.CONFLICT)


@transaction.atomic
def add_member(project: Project, user: Any, role: str) -> Membership:
    """Raises Rejected if the user is a member already."""
    try:
        with transaction.atomic():
            membership = project.memberships.create(user=user, role=role)
    except IntegrityError as problem:
        raise Rejected(
            f"{user} is in {project} already. Change the role in the list of members.", HTTPStatus.CONFLICT
        ) from problem
    log.record("member.added", project_id=project.pk, target=user, role=role)
    return membership


@transaction.atomic
def change_role(membership: Membership, role: str, by: Any) -> None:
    """Raises Rejected for the last admin of the project, and for a lower role than a group of the provider gives."""
    _keep_an_admin(membership, role, by)
    before = membership.role
    if role == before:
        return  # a role that a group gives does not become one by hand
    membership.give(by_hand=role)
    if membership.role != role:
        raise Rejected(
            f"A group of the identity provider gives {membership.user} the role {membership.role}. "
            "A lower role takes another group at the provider.",
            HTTPStatus.CONFLICT,
        )
    membership.save(update_fields=["role", "hand_role"])
    log.record(
        "member.changed", project_id=membership.project_id, target=membership.user, before=before, role=role
    )


@transaction.atomic
def remove_member(membership: Membership, by: Any) -> None:
    """What the member created stays. Raises Rejected for the last admin of the project."""
    _keep_an_admin(membership, None, by)
    log.record(
        "member.removed", project_id=membership.project_id, target=membership.user, role=membership.role
    )
    membership.delete()


def admins_of(project: Project) -> list[str]:
    """Names of the active admins."""
    admins = project.memberships.filter(role="admin", user__is_active=True)
    return list(admins.values_list("user__username", flat=True).order_by("user__username"))


def _keep_an_admin(membership: Membership, role: str | None, by: Any) -> None:
    """Only superusers may leave a project without an admin."""
    if membership.role != "admin" or role == "admin" or by.is_superuser:
        return
    # locked, so that two admins who leave at once do not both see the other
    admins = project_admins(membership.project)
    if not any(pk != membership.pk for pk in admins):
        raise Rejected(
            f"{membership.user} is the last admin of {membership.project}. First give this role to another user.",
            HTTPStatus.CONFLICT,
        )


def project_admins(project: Project) -> list[int]:
    """Ids of memberships of active admins, locked until the transaction ends."""
    rows = project.memberships.select_for_update().filter(role="admin", user__is_active=True)
    return list(rows.values_list("pk", flat=True))


def _free_slug(name: str) -> str:
    base = slugify(name)[:40] or "project"
    # `new` is where one is made
    taken = {"new", *Project.objects.filter(slug__startswith=base).values_list("slug", flat=True)}
    numbered = (f"{base}-{number}" for number in range(2, len(taken) + 3))
    return next(slug for slug in (base, *numbered) if slug not in taken)
