"""Members of a project and invitations to it, for its admins."""

from __future__ import annotations

import logging

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from webapp.accounts import invitations, projects
from webapp.accounts.access import get_administered_project, get_invitation, get_membership
from webapp.accounts.models import Project
from webapp.accounts.project_forms import InvitationForm, MemberForm, RoleForm
from webapp.accounts.signed_in import SignedInRequest
from webapp.accounts.views.projects import page
from webapp.rejected import Rejected, rejection_as_message

logger = logging.getLogger(__name__)


@require_POST
def add(request: SignedInRequest, slug: str) -> HttpResponse:
    """Add a user who has an account."""
    project = get_administered_project(request.user, slug)
    form = MemberForm(request.POST)
    if form.is_valid():
        try:
            user = projects.find_user(form.cleaned_data["who"].strip())
            projects.add_member(project, user, form.cleaned_data["role"])
        except Rejected as refusal:
            form.add_error("who", str(refusal))
        else:
            messages.success(request, f"{user} is in {project} now.")
            return redirect("project", slug)
    return page(request, project, status=422, member_form=form)


@require_POST
def change(request: SignedInRequest, slug: str, membership_id: int) -> HttpResponse:
    project = get_administered_project(request.user, slug)
    membership = get_membership(project, membership_id)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose one of the roles viewer, support, reviewer and admin.")
        return redirect("project", slug)
    with rejection_as_message(request):
        projects.change_role(membership, form.cleaned_data["role"], request.user)
        messages.success(request, f"{membership.user} has the role {membership.role} now.")
    return _back(request, project)


@require_POST
def remove(request: SignedInRequest, slug: str, membership_id: int) -> HttpResponse:
    project = get_administered_project(request.user, slug)
    membership = get_membership(project, membership_id)
    with rejection_as_message(request):
        projects.remove_member(membership, request.user)
        messages.success(request, f"{membership.user} is no longer in {project}.")
    return _back(request, project)


@require_POST
def invite(request: SignedInRequest, slug: str) -> HttpResponse:
    """Create an invitation; its link is mailed or shown once."""
    project = get_administered_project(request.user, slug)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return page(request, project, status=422, invitation_form=form)
    email, role = form.cleaned_data["email"], form.cleaned_data["role"]
    invitation, path = invitations.create(project, role, request.user, email)
    address = (settings.PUBLIC_URL or request.build_absolute_uri("/").rstrip("/")) + path
    try:
        is_sent = invitations.mail(invitation, address)
    except OSError:
        logger.warning("The mail server rejected an invitation")
        messages.warning(
            request, "The mail server rejected the message. Send the link to the person yourself."
        )
        is_sent = False
    if is_sent:
        messages.success(request, f"The invitation was sent to {email}.")
        return redirect("project", slug)
    return page(request, project, link=address, invited=invitation)


@require_POST
def withdraw(request: SignedInRequest, slug: str, invitation_id: int) -> HttpResponse:
    project = get_administered_project(request.user, slug)
    invitations.withdraw(get_invitation(project, invitation_id))
    messages.success(request, "The invitation was withdrawn.")
    return redirect("project", slug)


def _back(request: SignedInRequest, project: Project) -> HttpResponse:
    """To the project's page, or to the list if the user has lost access to it."""
    still_admin = (
        request.user.is_superuser or project.memberships.filter(user=request.user, role="admin").exists()
    )
    return redirect("project", project.slug) if still_admin else redirect("projects")
