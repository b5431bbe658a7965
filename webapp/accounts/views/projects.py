"""Projects: the list of one's own, the page that admins run one on, and what superusers do with them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from spark.redaction.options import DEFAULT_FIELDS, DEFAULT_PATTERNS
from webapp.accounts import invitations, projects
from webapp.accounts.access import get_administered_project, require_superuser
from webapp.accounts.models import ROLES, Project
from webapp.accounts.project_forms import (
    DueDaysForm,
    InvitationForm,
    MasksForm,
    MemberForm,
    ProjectForm,
    TicketForm,
)
from webapp.accounts.roles import has_role, projects_for_user
from webapp.accounts.signed_in import SignedInRequest
from webapp.rejected import rejection_as_message
from webapp.ticket_address import EXAMPLES, PLACEHOLDERS


@require_GET
def my_projects(request: SignedInRequest) -> HttpResponse:
    """The user's projects and roles, and their admins."""
    roles = dict(request.user.memberships.values_list("project_id", "role"))
    rows = [
        {
            "project": project,
            "role": roles.get(project.pk, "superuser"),
            "admins": projects.admins_of(project),
            "can_run": has_role(request.user, "admin", project.pk),
        }
        for project in projects_for_user(request.user)
    ]
    context = {"rows": rows, "form": ProjectForm(), "section": "projects"}
    return render(request, "accounts/projects.html", context)


@require_POST
def create(request: HttpRequest) -> HttpResponse:
    require_superuser(request.user)
    form = ProjectForm(request.POST)
    if not form.is_valid():
        _say(request, form)
        return redirect("projects")
    return redirect("project", projects.create(form.cleaned_data["name"]).slug)


@require_GET
def project(request: HttpRequest, slug: str) -> HttpResponse:
    """Members, invitations, due days, masks and quotas of one project."""
    return page(request, get_administered_project(request.user, slug))


@require_POST
def rename(request: HttpRequest, slug: str) -> HttpResponse:
    """The slug stays, so links keep working."""
    project = get_administered_project(request.user, slug)
    before = project.name
    form = ProjectForm(request.POST, instance=project)
    if not form.is_valid():
        return page(request, Project.objects.get(pk=project.pk), status=422, name_form=form)
    return _save(request, project, "project.renamed", {"name": form.cleaned_data["name"]}, before=before)


@require_POST
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    require_superuser(request.user)
    project = get_administered_project(request.user, slug)
    with rejection_as_message(request):
        projects.delete(project)
        messages.success(request, f"{project.name} was deleted.")
        return redirect("projects")
    return redirect("project", slug)


@require_POST
def due_days(request: HttpRequest, slug: str) -> HttpResponse:
    project = get_administered_project(request.user, slug)
    form = DueDaysForm(request.POST, project=project)
    if not form.is_valid():
        return page(request, project, status=422, due_form=form)
    return _save(request, project, "project.due-days-changed", {"due_days": form.days()}, **form.days())


@require_POST
def masks(request: HttpRequest, slug: str) -> HttpResponse:
    """Patterns and fields that shares hide. The audit log gets their number only: a pattern may name a customer."""
    project = get_administered_project(request.user, slug)
    form = MasksForm(request.POST)
    if not form.is_valid():
        return page(request, project, status=422, masks_form=form)
    counts = {name: len(lines) for name, lines in form.masks.items()}
    return _save(request, project, "project.masks-changed", {"masks": form.masks}, **counts)


@require_POST
def ticket(request: HttpRequest, slug: str) -> HttpResponse:
    """The address that "Create ticket" opens; it is not in the audit log."""
    project = get_administered_project(request.user, slug)
    form = TicketForm(request.POST)
    if not form.is_valid():
        return page(request, project, status=422, ticket_form=form)
    is_set = bool(form.cleaned_data["ticket_template"])
    return _save(request, project, "project.ticket-address-changed", form.cleaned_data, is_set=is_set)


def page(request: HttpRequest, project: Project, status: int = 200, **forms: Any) -> HttpResponse:
    """The project's page; `forms` replaces forms that were sent with errors."""
    context = {
        "project": project,
        "members": project.memberships.select_related("user").order_by("user__username"),
        "roles": ROLES,
        "invitations": invitations.open_invitations(project),
        "mail_is_configured": invitations.mail_is_configured(),
        "valid_days": invitations.VALID_DAYS,
        "journal_count": project.journals.count(),
        "name_form": ProjectForm(instance=project),
        "member_form": MemberForm(),
        "invitation_form": InvitationForm(),
        "due_form": DueDaysForm(project=project),
        "masks_form": MasksForm(
            initial={f"{name}_text": "\n".join(lines) for name, lines in project.own_masks.items()}
        ),
        "ticket_form": TicketForm(initial={"ticket_template": project.ticket_template}),
        "placeholders": PLACEHOLDERS,
        "ticket_examples": EXAMPLES,
        "masks_everywhere": {"fields": DEFAULT_FIELDS, "patterns": DEFAULT_PATTERNS},
        "section": "projects",
        **forms,
    }
    return render(request, "accounts/project.html", context, status=status)


def _save(
    request: HttpRequest, project: Project, action: str, values: dict[str, Any], **detail: Any
) -> HttpResponse:
    projects.change(project, action, values, **detail)
    messages.success(request, "Saved.")
    return redirect("project", project.slug)


def _say(request: HttpRequest, form: Any) -> None:
    for errors in form.errors.values():
        for sentence in errors:
            messages.error(request, sentence)
