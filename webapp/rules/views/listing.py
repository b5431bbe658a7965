"""All rules of one's projects."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from webapp.accounts.access import require_role
from webapp.accounts.roles import projects_for_user
from webapp.rules.access import rules_for_user


@require_GET
def rules(request: HttpRequest) -> HttpResponse:
    """The list, project by project; projects without rules are there for those who may write one."""
    require_role(request.user, "viewer")
    every = list(rules_for_user(request.user))
    writable = set(projects_for_user(request.user, "reviewer").values_list("pk", flat=True))
    projects = [
        {
            "project": project,
            "rules": [rule for rule in every if rule.project_id == project.pk],
            "can_write": project.pk in writable,
        }
        for project in projects_for_user(request.user)
    ]
    return render(request, "rules/rules.html", {"projects": projects, "section": "review"})
