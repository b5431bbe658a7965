"""Pages of rules: the list, one rule with its versions, changing it, and trying it on an inspection."""

from __future__ import annotations

from difflib import ndiff
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from spark.rules.columns import OVER, meaning
from webapp.accounts.access import get_project_for_user, require_role
from webapp.accounts.models import Project
from webapp.accounts.roles import has_role, projects_for_user
from webapp.audit.log import record
from webapp.journals.access import get_inspection_for_user
from webapp.journals.models import Inspection
from webapp.rejected import Rejected, rejection_as_message
from webapp.review.rates import rates
from webapp.rules import changes
from webapp.rules.access import get_rule_for_user, rules_for_user
from webapp.rules.changes import read
from webapp.rules.models import Rule
from webapp.rules.trying import inspections_to_try, try_rule

EXAMPLE = """\
name: large-values
title: Values above one megabyte
severity: medium          # critical, high, medium or low
over: records             # records, entries or keys
when:
  all:
    - {column: value_size_bytes, over: 1000000}
    - not: {column: key, starts: "heartbeat"}
text: "The value of this record has {value_size_bytes} bytes."
remedy: Ask the team that writes this topic to store large values elsewhere.
"""
MARKS = {"+": "added", "-": "removed", " ": "same"}  # of a line in a comparison


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


@require_GET
def rule(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    rule = get_rule_for_user(request.user, slug, name)
    return _page(request, rule.project, rule, rule.current.text)


@require_GET
def version(request: HttpRequest, slug: str, name: str, number: int) -> HttpResponse:
    """A version and its difference to the one before."""
    rule = get_rule_for_user(request.user, slug, name)
    versions = {version.number: version for version in rule.versions.all()}
    if number not in versions:
        raise Http404
    before = versions.get(number - 1)
    context = {
        "rule": rule,
        "version": versions[number],
        "before": before,
        "lines": _differences(before.text if before else "", versions[number].text),
        "section": "review",
    }
    return render(request, "rules/version.html", context)


@require_GET
def new(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of a rule that is not there yet, with an example to change."""
    project = get_project_for_user(request.user, slug)
    require_role(request.user, "reviewer", project.pk)
    return _page(request, project, None, EXAMPLE)


@require_POST
def create(request: HttpRequest, slug: str) -> HttpResponse:
    project = get_project_for_user(request.user, slug)
    require_role(request.user, "reviewer", project.pk)
    text = _text(request)
    try:
        made = changes.create(project, text, request.user)
    except Rejected as refusal:
        return _page(request, project, None, text, str(refusal))
    messages.success(request, "Saved. It is not active yet: switch it on to have inspections use it.")
    return redirect(made)


@require_POST
def save(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    rule = get_rule_for_user(request.user, slug, name)
    require_role(request.user, "reviewer", rule.project_id)
    text, based_on = _text(request), request.POST.get("based_on", "")
    try:
        saved = changes.change(rule, text, request.user, int(based_on) if based_on.isdecimal() else 0)
    except Rejected as refusal:
        return _page(request, rule.project, rule, text, str(refusal))
    messages.success(request, f"Version {saved.number} is saved.")
    return redirect(rule)


@require_POST
def switch(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    rule = get_rule_for_user(request.user, slug, name)
    require_role(request.user, "reviewer", rule.project_id)
    with rejection_as_message(request):
        changes.set_active(rule, request.POST.get("active") == "1", request.user)
    return redirect(rule)


@require_POST
def try_it(request: HttpRequest, slug: str) -> HttpResponse:
    """A part of the page. The rule is the text as it stands, saved or not."""
    project = get_project_for_user(request.user, slug)
    require_role(request.user, "support", project.pk)
    inspection = _inspection(request, project.pk)
    try:
        if inspection is None:
            raise Rejected("Choose a finished inspection to try the rule on.")
        tried = try_rule(read(request.POST.get("text", "")), inspection)
    except Rejected as refusal:
        return render(request, "rules/tried.html", {"error": str(refusal)})
    record("rule.tried", project_id=project.pk, target=inspection, rule=tried.rule.name, rows=len(tried.rows))
    return render(request, "rules/tried.html", {"tried": tried})


def _differences(before: str, after: str) -> list[tuple[str, str, str]]:
    """(added | removed | same, its mark, the line) for every line of both."""
    lines = ndiff(before.splitlines(), after.splitlines())
    return [(MARKS[line[0]], line[0], line[2:]) for line in lines if line[0] in MARKS]


def _text(request: HttpRequest) -> str:
    """With LF line ends."""
    return request.POST.get("text", "").replace("\r\n", "\n").strip() + "\n"


def _page(
    request: HttpRequest, project: Project, rule: Rule | None, text: str, error: str = ""
) -> HttpResponse:
    context: dict[str, Any] = {
        "project": project,
        "rule": rule,
        "text": text,
        "error": error,
        "based_on": request.POST.get("based_on") or (rule.current.number if rule else ""),
        "can_write": has_role(request.user, "reviewer", project.pk),
        "can_try": has_role(request.user, "support", project.pk),
        "inspections": inspections_to_try(request.user, project.pk),
        "tables": [(over, meaning(over)) for over in OVER],
        "rates": rates(request.user, rule.detector) if rule else None,
        "section": "review",
    }
    return render(request, "rules/rule.html", context, status=422 if error else 200)


def _inspection(request: HttpRequest, project_id: int) -> Inspection | None:
    """The inspection that was chosen, 404 for one of another project."""
    try:
        chosen = UUID(request.POST.get("inspection", ""))
    except ValueError:
        return None
    inspection = get_inspection_for_user(request.user, chosen)
    if inspection.journal.project_id != project_id:
        raise Http404
    return inspection if inspection.state == Inspection.State.DONE else None
