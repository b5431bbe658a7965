"""Roles by groups, decided at each sign-in through the provider. What was given by hand is never taken away here."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction

from webapp.accounts.models import GroupSuperuser, Membership, Project, rank
from webapp.accounts.provider.mapping import GroupRole
from webapp.audit import log


def may_enter(user: Any, groups: frozenset[str]) -> bool:
    """False where REQUIRE_GROUP refuses. Superusers and admins by hand always may, so that they can mend a mapping."""
    if not settings.REQUIRE_GROUP or any(entry.group in groups for entry in settings.GROUP_ROLES):
        return True
    if not (user and user.pk):
        return False
    by_hand = [membership.role_by_hand for membership in user.memberships.all()]
    return "admin" in by_hand or (user.is_superuser and not GroupSuperuser.objects.filter(user=user).exists())


def missing_projects() -> list[GroupRole]:
    """Entries of the mapping whose project does not exist."""
    slugs = set(Project.objects.values_list("slug", flat=True))
    return [entry for entry in settings.GROUP_ROLES if entry.project and entry.project not in slugs]


@transaction.atomic
def renew(user: Any, groups: frozenset[str]) -> None:
    """Give the roles of these groups, and take away those that other groups had given."""
    get_user_model().objects.select_for_update().get(pk=user.pk)  # two sign-ins at once take turns
    user.refresh_from_db(fields=["is_superuser", "is_staff"])
    entries = _strongest(groups)
    for membership in user.memberships.exclude(group_role="").exclude(project__slug__in=entries):
        _change(membership, "")
    for project in Project.objects.filter(slug__in=entries):
        membership = user.memberships.filter(project=project).first() or Membership(
            project=project, user=user, role=""
        )
        entry = entries[project.slug]
        if membership.group_role != entry.role:
            _change(membership, entry.role, group=entry.group)
    _renew_superuser(user, entries.get(""))


def _strongest(groups: frozenset[str]) -> dict[str, GroupRole]:
    """The entry with the highest role by slug of the project; empty slug: superuser."""
    entries = [entry for entry in settings.GROUP_ROLES if entry.group in groups]
    entries.sort(key=lambda entry: rank(entry.role) if entry.project else 0)
    return {entry.project: entry for entry in entries}  # the last one of a project stays


def _change(membership: Membership, group_role: str, **detail: Any) -> None:
    is_new, before = membership.pk is None, membership.role
    membership.give(by_group=group_role)
    if not membership.role:
        action, detail = "member.removed", detail | {"role": before}
        membership.delete()
    elif is_new:
        action, detail = "member.added", detail | {"role": membership.role}
        membership.save()
    else:
        action, detail = "member.changed", detail | {"before": before, "role": membership.role}
        membership.save()
    _record(action, membership.user, project_id=membership.project_id, **detail)


def _renew_superuser(user: Any, entry: GroupRole | None) -> None:
    by_group = GroupSuperuser.objects.filter(user=user)
    if entry and not user.is_superuser:
        GroupSuperuser.objects.get_or_create(user=user)
        _set_superuser(user, is_superuser=True)
        _record("superuser.added", user, group=entry.group)
    elif not entry and by_group.exists():
        by_group.delete()
        if user.is_superuser:
            _set_superuser(user, is_superuser=False)
            _record("superuser.removed", user)


def _set_superuser(user: Any, *, is_superuser: bool) -> None:
    """With the right to open the administration."""
    user.is_superuser = user.is_staff = is_superuser
    user.save(update_fields=["is_superuser", "is_staff"])


def _record(action: str, user: Any, **detail: Any) -> None:
    log.record(action, actor=user, target=user, by="provider", **detail)
