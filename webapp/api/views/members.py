"""Members of a project, invitations to it and its settings: what its page lets admins do."""

from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts import invitations, projects
from webapp.accounts.access import (
    get_administered_project,
    get_invitation,
    get_membership,
    get_project_for_user,
)
from webapp.accounts.models import Invitation, Project
from webapp.api import project_settings
from webapp.api.base import ApiView, body, listed
from webapp.api.errors import Wrong
from webapp.api.serializers.pages import Paging, page_shape
from webapp.api.serializers.projects import (
    CreatedInvitation,
    InvitationShape,
    MemberShape,
    NewInvitation,
    NewMember,
    RoleChange,
    SettingsChange,
    SettingsShape,
)

ADMINISTERS = dict.fromkeys(("GET", "POST", "PATCH", "DELETE"), "admin")
logger = logging.getLogger(__name__)


class MembersView(ApiView):
    """Members."""

    scopes = {"POST": "admin"}

    @extend_schema(parameters=[Paging], responses=page_shape(MemberShape), summary="Who is in a project")
    def get(self, request: Request, slug: str) -> Response:
        """With their roles."""
        found = get_project_for_user(request.user, slug).memberships.select_related("user")
        return listed(request, found, MemberShape)

    @extend_schema(request=NewMember, responses={201: MemberShape}, summary="Put somebody into a project")
    def post(self, request: Request, slug: str) -> Response:
        """Somebody who has an account; invite everybody else."""
        project = get_administered_project(request.user, slug)
        asked = body(request, NewMember)
        try:
            user = projects.find_user(asked["who"])
        except projects.Refused as refusal:
            raise Wrong(str(refusal), "who") from None
        return Response(MemberShape(projects.add_member(project, user, asked["role"])).data, status=201)


class MemberView(ApiView):
    """One member."""

    scopes = {"PATCH": "admin", "DELETE": "admin"}

    @extend_schema(responses=MemberShape, summary="One member of a project")
    def get(self, request: Request, slug: str, membership_id: int) -> Response:
        """With the role."""
        project = get_project_for_user(request.user, slug)
        return Response(MemberShape(get_membership(project, membership_id)).data)

    @extend_schema(request=RoleChange, responses=MemberShape, summary="Give a member another role")
    def patch(self, request: Request, slug: str, membership_id: int) -> Response:
        """The last admin of a project stays one (409)."""
        membership = get_membership(get_administered_project(request.user, slug), membership_id)
        projects.change_role(membership, body(request, RoleChange)["role"], request.user)
        return Response(MemberShape(membership).data)

    @extend_schema(responses={204: None}, summary="Take a member out of a project")
    def delete(self, request: Request, slug: str, membership_id: int) -> Response:
        """What they made stays. The last admin stays, too (409)."""
        membership = get_membership(get_administered_project(request.user, slug), membership_id)
        projects.remove_member(membership, request.user)
        return Response(status=204)


class InvitationsView(ApiView):
    """Invitations."""

    scopes = ADMINISTERS

    @extend_schema(
        parameters=[Paging], responses=page_shape(InvitationShape), summary="Invitations to a project"
    )
    def get(self, request: Request, slug: str) -> Response:
        """Those that can still be used."""
        found = invitations.open_invitations(get_administered_project(request.user, slug))
        return listed(request, found, InvitationShape)

    @extend_schema(
        request=NewInvitation, responses={201: CreatedInvitation}, summary="Invite somebody to a project"
    )
    def post(self, request: Request, slug: str) -> Response:
        """The link is mailed to `email`, or shown this once. It can be used once within a week."""
        project = get_administered_project(request.user, slug)
        asked = body(request, NewInvitation)
        made, path = invitations.create(project, asked["role"], request.user, asked.get("email", ""))
        address = (settings.PUBLIC_URL or request.build_absolute_uri("/").rstrip("/")) + path
        url = None if _mailed(made, address) else address
        return Response(InvitationShape(made).data | {"url": url}, status=201)


class InvitationView(ApiView):
    """One invitation."""

    scopes = ADMINISTERS

    @extend_schema(responses={204: None}, summary="Take an invitation back")
    def delete(self, request: Request, slug: str, invitation_id: int) -> Response:
        """Its link stops working at once."""
        invitations.withdraw(get_invitation(get_administered_project(request.user, slug), invitation_id))
        return Response(status=204)


class SettingsView(ApiView):
    """Settings."""

    scopes = ADMINISTERS

    @extend_schema(responses=SettingsShape, summary="Settings of a project")
    def get(self, request: Request, slug: str) -> Response:
        """Name, due days, masks, retention, hold, quotas."""
        return Response(_settings(get_administered_project(request.user, slug)))

    @extend_schema(request=SettingsChange, responses=SettingsShape, summary="Change settings of a project")
    def patch(self, request: Request, slug: str) -> Response:
        """What is named, all of it or nothing. Quotas are for superusers, who have to be signed in."""
        project = get_administered_project(request.user, slug)
        return Response(
            _settings(project_settings.change(project.pk, body(request, SettingsChange), request.user))
        )


def _settings(project: Project) -> dict[str, Any]:
    told = SettingsShape(project).data
    kept = project.masks if isinstance(project.masks, dict) else {}
    masks = {name: list(kept.get(name, ())) for name in ("fields", "patterns")}
    return dict(told) | {"masks": masks}


def _mailed(invitation: Invitation, address: str) -> bool:
    try:
        return invitations.mail(invitation, address)
    except OSError:
        logger.warning("The mail server did not take an invitation")
        return False
