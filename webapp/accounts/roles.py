"""Roles are Django groups, each with the rights of those before it: viewer < support < reviewer < admin."""

from __future__ import annotations

from typing import Any

ROLES = ("viewer", "support", "reviewer", "admin")


def has_role(user: Any, role: str) -> bool:
    """Whether the user has this role or a higher one. Superusers have all of them."""
    if user is None or not user.is_active:
        return False
    return rank(user) >= ROLES.index(role)


def rank(user: Any) -> int:
    """Place of the user's highest role in ROLES; -1: none."""
    if user.is_superuser:
        return len(ROLES) - 1
    if not hasattr(user, "role_rank"):
        names = user.groups.values_list("name", flat=True) if user.pk else ()
        user.role_rank = max((ROLES.index(name) for name in names if name in ROLES), default=-1)
    result: int = user.role_rank
    return result
