"""Who asks, their sessions, and projects as their admins run them: members, invitations, settings."""

from __future__ import annotations

from typing import Any

from allauth.usersessions.models import UserSession
from rest_framework import serializers

from webapp.accounts import project_forms
from webapp.accounts.models import DUE_DAYS, ROLES, Invitation, Membership, Project
from webapp.accounts.roles import has_role
from webapp.accounts.sessions import browser_of
from webapp.api.rest.rows import RowShape
from webapp.operations.forms import MAX_DAYS
from webapp.ticket_address import MAX_TEMPLATE

MAX_BYTES = 2**63 - 1
MAX_INSPECTIONS = 1_000_000


class MeShape(serializers.Serializer[Any]):
    """Who asks, and what they may."""

    user = serializers.CharField()
    scopes = serializers.ListField(child=serializers.CharField(), help_text="of the token; null: a session", allow_null=True)  # fmt: skip
    expires_at = serializers.DateTimeField(allow_null=True, help_text="of the token")
    roles = serializers.DictField(child=serializers.ChoiceField(ROLES), help_text="project -> role")


class SessionShape(serializers.Serializer[Any]):
    """A browser that is signed in."""

    id = serializers.IntegerField()
    browser = serializers.SerializerMethodField(help_text="such as Firefox on Linux")
    address = serializers.CharField(source="ip")
    created_at = serializers.DateTimeField()
    last_seen_at = serializers.DateTimeField()
    is_current = serializers.BooleanField(help_text="the one that asks")

    def get_browser(self, session: UserSession) -> str:
        """By what it calls itself."""
        return browser_of(session.user_agent)


def role_in(user: Any, project: Project) -> str:
    """The user's role in a project that they see."""
    return [role for role in ROLES if has_role(user, role, project.pk)][-1]


class OwnRole(serializers.ChoiceField):
    """The role of who asks."""

    def get_attribute(self, instance: Project) -> str:
        """In this project."""
        return role_in(self.context["request"].user, instance)


class ProjectShape(RowShape):
    """A project."""

    role = OwnRole(ROLES, help_text="yours")
    quota_inspections = serializers.IntegerField(allow_null=True, help_text="within 24 hours")

    class Meta:
        model = Project
        fields = (
            "slug", "name", "role", "created_at", "retention_days", "is_on_hold", "quota_bytes", "quota_inspections",
        )  # fmt: skip


class NewProject(serializers.Serializer[Any]):
    """A project that is not there yet."""

    name = serializers.CharField(max_length=100)


class MemberShape(RowShape):
    """Somebody in a project."""

    id = serializers.IntegerField(help_text="of the membership")

    class Meta:
        model = Membership
        fields = ("id", "user", "role")


class RoleChange(serializers.Serializer[Any]):
    """Another role for a member."""

    role = serializers.ChoiceField(ROLES)


class NewMember(serializers.Serializer[Any]):
    """Somebody who has an account already, and the role they get."""

    who = serializers.CharField(max_length=254, help_text="user name or e-mail address")
    role = serializers.ChoiceField(ROLES)


class InvitationShape(RowShape):
    """An invitation that can still be used, without its link."""

    email = serializers.CharField(allow_blank=True, help_text="empty: the link is handed over")

    class Meta:
        model = Invitation
        fields = ("id", "role", "email", "is_mailed", "created_by", "created_at", "expires_at")


class CreatedInvitation(InvitationShape):
    """With the link to hand over, which stands nowhere else."""

    url = serializers.URLField(allow_null=True, help_text="shown once; null: it was mailed")


class NewInvitation(RoleChange):
    """Whom to invite as what."""

    email = serializers.EmailField(
        required=False, allow_blank=True, max_length=254, help_text="to mail the link, where mail is set up"
    )


class DueDays(serializers.Serializer[Any]):
    """Days until a finding is due; a severity that is left out is as everywhere."""

    def get_fields(self) -> dict[str, Any]:
        """One for each severity."""
        return {
            name: serializers.IntegerField(
                required=False, min_value=1, max_value=project_forms.MAX_DAYS, help_text=f"else {days}"
            )
            for name, days in DUE_DAYS.items()
        }


class Masks(serializers.Serializer[Any]):
    """What shares hide in payloads, besides what is hidden everywhere."""

    def get_fields(self) -> dict[str, Any]:
        """`fields` would be a name of the framework's own."""
        helps = {"fields": "paths such as config.password", "patterns": "regular expressions"}
        return {
            name: serializers.ListField(
                child=serializers.CharField(max_length=300),
                required=False,
                max_length=project_forms.MAX_MASKS,
                help_text=text,
            )
            for name, text in helps.items()
        }


class SettingsShape(RowShape):
    """What an admin sets for a project."""

    slug = serializers.SlugField(help_text="never changes")
    due_days = DueDays()
    masks = Masks(source="own_masks")
    ticket_template = serializers.CharField(
        allow_blank=True, help_text='address that "Create ticket" opens; empty: no such button'
    )
    retention_days = serializers.IntegerField(
        allow_null=True, help_text="journals older than this are deleted; null: kept"
    )
    is_on_hold = serializers.BooleanField(help_text="legal hold: nothing of it is deleted")
    quota_bytes = serializers.IntegerField(allow_null=True, help_text="of raw files; null: no limit")
    quota_inspections = serializers.IntegerField(
        allow_null=True, help_text="started within 24 hours; null: no limit"
    )

    class Meta:
        model = Project
        fields = (
            "slug", "name", "due_days", "masks", "ticket_template", "retention_days", "is_on_hold", "quota_bytes", "quota_inspections",
        )  # fmt: skip


class SettingsChange(serializers.Serializer[Any]):
    """What is left out stays; `due_days` and `masks` replace what was there."""

    name = serializers.CharField(required=False, max_length=100)
    due_days = DueDays(required=False)
    masks = Masks(required=False)
    ticket_template = serializers.CharField(
        required=False, allow_blank=True, max_length=MAX_TEMPLATE,
        help_text="with placeholders such as {summary}; empty: no button",
    )  # fmt: skip
    retention_days = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=MAX_DAYS, help_text="null: kept"
    )
    is_on_hold = serializers.BooleanField(required=False)
    quota_bytes = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=MAX_BYTES, help_text="superusers in a session"
    )
    quota_inspections = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=MAX_INSPECTIONS,
        help_text="superusers in a session",
    )  # fmt: skip
