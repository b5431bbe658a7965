"""Who may see and revoke which tokens: one's own, and an admin those of the members of their projects."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404

from webapp.accounts.roles import projects_for_user
from webapp.api.models import Token


def tokens_for_user(user: Any) -> QuerySet[Token]:
    """Tokens this user may see and revoke.

    An admin sees those that open their projects: of members, for one of these projects or for all of the member's.
    """
    if user.is_superuser:
        return Token.objects.all()
    theirs = projects_for_user(user, "admin")
    of_members = Q(user__memberships__project__in=theirs) & (Q(project=None) | Q(project__in=theirs))
    return Token.objects.filter(Q(user=user) | of_members).distinct()


def get_token_for_user(user: Any, token_id: UUID | str) -> Token:
    """The token, or 404."""
    return get_object_or_404(tokens_for_user(user), pk=token_id)
