"""Members of a project and invitations to it."""

from __future__ import annotations

import logging

from django.conf import settings
from django.db.models import QuerySet
from rest_framework.request import Request

from webapp.accounts import invitations, projects
from webapp.accounts.access import (
    get_administered_project,
    get_invitation,
    get_membership,
    get_project_for_user,
)
from webapp.accounts.models import Invitation, Membership
from webapp.api.accounts.serializers import (
    CreatedInvitation,
    InvitationShape,
    MemberShape,
    NewInvitation,
    NewMember,
    RoleChange,
)
from webapp.api.rest.errors import ApiError
from webapp.api.rest.operation import operation
from webapp.api.rest.resource import Resource
from webapp.rejected import Rejected

logger = logging.getLogger(__name__)


class MemberViewSet(Resource):
    """Members."""

    lookup_url_kwarg = "membership_id"
    lookup_value_converter = "int"

    @operation("Who is in a project", page=MemberShape)
    def list(self, request: Request, slug: str) -> QuerySet[Membership]:
        """With their roles."""
        return get_project_for_user(request.user, slug).memberships.select_related("user")

    @operation("Add a user to a project", scope="admin", body=NewMember, answer=MemberShape, status=201)
    def create(self, request: Request, slug: str) -> Membership:
        """Somebody who has an account; invite everybody else."""
        project = get_administered_project(request.user, slug)
        try:
            user = projects.find_user(self.payload["who"])
        except Rejected as refusal:
            raise ApiError(str(refusal), "who") from None
        return projects.add_member(project, user, self.payload["role"])

    @operation("One member of a project", answer=MemberShape)
    def retrieve(self, request: Request, slug: str, membership_id: int) -> Membership:
        """With the role."""
        return get_membership(get_project_for_user(request.user, slug), membership_id)

    @operation("Change the role of a member", scope="admin", body=RoleChange, answer=MemberShape)
    def partial_update(self, request: Request, slug: str, membership_id: int) -> Membership:
        """The last admin of a project stays one (409)."""
        membership = get_membership(get_administered_project(request.user, slug), membership_id)
        projects.change_role(membership, self.payload["role"], request.user)
        return membership

    @operation("Remove a member from a project", scope="admin", status=204)
    def destroy(self, request: Request, slug: str, membership_id: int) -> None:
        """What they made stays. The last admin stays, too (409)."""
        membership = get_membership(get_administered_project(request.user, slug), membership_id)
        projects.remove_member(membership, request.user)


class InvitationViewSet(Resource):
    """Invitations."""

    lookup_url_kwarg = "invitation_id"
    lookup_value_converter = "int"

    @operation("Invitations to a project", scope="admin", page=InvitationShape)
    def list(self, request: Request, slug: str) -> QuerySet[Invitation]:
        """Those that can still be used."""
        return invitations.open_invitations(get_administered_project(request.user, slug))

    @operation(
        "Invite a user to a project",
        scope="admin",
        body=NewInvitation,
        answer=CreatedInvitation,
        status=201,
    )
    def create(self, request: Request, slug: str) -> Invitation:
        """The link is mailed to `email`, or shown this once. It can be used once within a week."""
        project = get_administered_project(request.user, slug)
        role, email = self.payload["role"], self.payload.get("email", "")
        invitation, path = invitations.create(project, role, request.user, email)
        address = (settings.PUBLIC_URL or request.build_absolute_uri("/").rstrip("/")) + path
        invitation.url = None if _mailed(invitation, address) else address  # type: ignore[attr-defined]
        return invitation

    @operation("Revoke an invitation", scope="admin", status=204)
    def destroy(self, request: Request, slug: str, invitation_id: int) -> None:
        """Its link stops working at once."""
        invitations.withdraw(get_invitation(get_administered_project(request.user, slug), invitation_id))


def _mailed(invitation: Invitation, address: str) -> bool:
    try:
        return invitations.mail(invitation, address)
    except OSError:
        logger.warning("The mail server did not take an invitation")
        return False
