"""Who may see, try and change rules. What one may not see is 404; viewers read, support tries, reviewers write."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from webapp.accounts.roles import projects_for_user
from webapp.rules.models import Rule


def rules_for_user(user: Any) -> QuerySet[Rule]:
    """Rules of the user's projects."""
    rules = Rule.objects.filter(project__in=projects_for_user(user))
    return rules.select_related("project").prefetch_related("versions__created_by")


def get_rule_for_user(user: Any, slug: str, name: str) -> Rule:
    return get_object_or_404(rules_for_user(user), project__slug=slug, name=name)
