"""The test button: how many rows of an inspection a rule would flag, and the first of them."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from webapp.accounts.access import get_project_for_user, require_role
from webapp.audit.log import record
from webapp.journals.access import get_inspection_for_user
from webapp.journals.models import Inspection
from webapp.rejected import Rejected
from webapp.rules.changes import read
from webapp.rules.trying import try_rule


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
