"""Projects as their admins run them: members, invitations, settings."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from webapp.accounts import project_forms
from webapp.accounts.roles import ROLES
from webapp.api.serializers.pages import Person
from webapp.operations.forms import MOST_DAYS
from webapp.review.states import DUE_DAYS

MOST_BYTES = 2**63 - 1
MOST_INSPECTIONS = 1_000_000


class MemberShape(serializers.Serializer[Any]):
    """Somebody in a project."""

    id = serializers.IntegerField(help_text="of the membership")
    user = Person()
    role = serializers.ChoiceField(ROLES)


class NewMember(serializers.Serializer[Any]):
    """Somebody who has an account already, and the role they get."""

    who = serializers.CharField(max_length=254, help_text="user name or e-mail address")
    role = serializers.ChoiceField(ROLES)


class RoleChange(serializers.Serializer[Any]):
    """Another role for a member."""

    role = serializers.ChoiceField(ROLES)


class InvitationShape(serializers.Serializer[Any]):
    """An invitation that can still be used, without its link."""

    id = serializers.IntegerField()
    role = serializers.ChoiceField(ROLES)
    email = serializers.CharField(allow_blank=True, help_text="empty: the link is handed over")
    is_mailed = serializers.BooleanField()
    created_by = Person()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()


class CreatedInvitation(InvitationShape):
    """With the link to hand over, which stands nowhere else."""

    url = serializers.URLField(allow_null=True, help_text="shown once; null: it was mailed")


class NewInvitation(serializers.Serializer[Any]):
    """Whom to invite as what."""

    role = serializers.ChoiceField(ROLES)
    email = serializers.EmailField(
        required=False, allow_blank=True, max_length=254, help_text="to mail the link, where mail is set up"
    )


class DueDays(serializers.Serializer[Any]):
    """Days until a finding is due; a severity that is left out is as everywhere."""

    def get_fields(self) -> dict[str, Any]:
        """One for each severity."""
        return {
            name: serializers.IntegerField(
                required=False, min_value=1, max_value=project_forms.MOST_DAYS, help_text=f"else {days}"
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
                max_length=project_forms.MOST_MASKS,
                help_text=text,
            )
            for name, text in helps.items()
        }


class SettingsShape(serializers.Serializer[Any]):
    """What an admin sets for a project."""

    slug = serializers.SlugField(help_text="never changes")
    name = serializers.CharField()
    due_days = DueDays()
    masks = Masks()
    retention_days = serializers.IntegerField(
        allow_null=True, help_text="journals older than this are deleted; null: kept"
    )
    is_on_hold = serializers.BooleanField(help_text="legal hold: nothing of it is deleted")
    quota_bytes = serializers.IntegerField(allow_null=True, help_text="of raw files; null: no limit")
    quota_inspections = serializers.IntegerField(
        allow_null=True, help_text="started within 24 hours; null: no limit"
    )


class SettingsChange(serializers.Serializer[Any]):
    """What is left out stays; `due_days` and `masks` replace what was there."""

    name = serializers.CharField(required=False, max_length=100)
    due_days = DueDays(required=False)
    masks = Masks(required=False)
    retention_days = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=MOST_DAYS, help_text="null: kept"
    )
    is_on_hold = serializers.BooleanField(required=False)
    quota_bytes = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=MOST_BYTES,
        help_text="superusers in a session",
    )
    quota_inspections = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=MOST_INSPECTIONS,
        help_text="superusers in a session",
    )  # fmt: skip
