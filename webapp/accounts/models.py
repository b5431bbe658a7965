"""Projects, who is in them and who is invited, and one-time sign-in links."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models

ROLES = ("viewer", "support", "reviewer", "admin")  # each with the rights of those before it
DUE_DAYS = {"critical": 1, "high": 3, "medium": 14, "low": 30}  # unless the project says otherwise


def rank(role: str) -> int:
    """Higher for a role with more rights; 0 for none."""
    return ("", *ROLES).index(role)


class Project(models.Model):
    """Journals that the same people may see; every journal is in one project."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=100, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    retention_days = models.PositiveIntegerField(
        null=True, blank=True, help_text="a journal older than this is deleted; empty: kept"
    )
    is_on_hold = models.BooleanField(default=False, help_text="legal hold: nothing of it is deleted")
    quota_bytes = models.BigIntegerField(null=True, blank=True, help_text="of raw files; empty: no limit")
    quota_inspections = models.PositiveIntegerField(
        null=True, blank=True, help_text="started within 24 hours; empty: no limit"
    )
    due_days = models.JSONField(default=dict, blank=True, help_text="severity -> days until a finding is due")
    masks = models.JSONField(
        default=dict, blank=True, help_text='{"fields": [paths], "patterns": [expressions]} hidden in shares'
    )

    ticket_template = models.CharField(
        max_length=1000, blank=True, help_text='address that "Create ticket" opens; empty: no such button'
    )

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    def due_at(self, severity: str, since: datetime) -> datetime | None:
        """When a finding of this severity is due; None if findings of this severity have no due date."""
        days = {**DUE_DAYS, **(self.due_days or {})}.get(severity)
        try:
            return since + timedelta(days=float(days)) if days is not None else None
        except (TypeError, ValueError, OverflowError):
            return None

    @property
    def own_masks(self) -> dict[str, list[str]]:
        """Both lists of `masks`; empty lists where an older project has none."""
        lists = self.masks if isinstance(self.masks, dict) else {}
        return {name: list(lists.get(name, ())) for name in ("fields", "patterns")}


class Membership(models.Model):
    project = models.ForeignKey(Project, related_name="memberships", on_delete=models.CASCADE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, related_name="memberships", on_delete=models.CASCADE)
    role = models.CharField(max_length=10, choices=[(role, role) for role in ROLES])
    group_role = models.CharField(
        max_length=10, blank=True, default="", help_text="given by a group of the provider; empty: none"
    )
    hand_role = models.CharField(
        max_length=10, blank=True, default="", help_text="given by hand next to that of a group; empty: none"
    )

    class Meta:
        ordering = ("project__name", "user__username")
        constraints = [models.UniqueConstraint(fields=("project", "user"), name="one_role_per_project")]

    def __str__(self) -> str:
        return f"{self.user}: {self.role} in {self.project}"

    @property
    def role_by_hand(self) -> str:
        """What stays when the group is gone; empty: none."""
        return self.hand_role if self.group_role else self.role

    def give(self, *, by_hand: str | None = None, by_group: str | None = None) -> None:
        """Set the role that is given by hand, by a group, or both. `role` becomes the higher one, empty if there is none."""
        by_hand = self.role_by_hand if by_hand is None else by_hand
        self.group_role = self.group_role if by_group is None else by_group
        self.hand_role = by_hand if self.group_role else ""
        self.role = max(by_hand, self.group_role, key=rank)


class GroupSuperuser(models.Model):
    """A user whom a group of the provider made a superuser, and who is none without it."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)

    def __str__(self) -> str:
        return str(self.user)


class Invitation(models.Model):
    """Makes somebody a member of a project, once. Only the token's hash is stored."""

    project = models.ForeignKey(Project, related_name="invitations", on_delete=models.CASCADE)
    role = models.CharField(max_length=10, choices=[(role, role) for role in ROLES])
    email = models.EmailField(blank=True, help_text="where the link was sent; empty: handed over")
    is_mailed = models.BooleanField(
        default=False, help_text="the link was mailed to that address: its holder reads that mail"
    )
    token_sha256 = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, related_name="+", on_delete=models.SET_NULL
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, related_name="+", on_delete=models.SET_NULL
    )

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{self.role} in {self.project}, until {self.expires_at:%Y-%m-%d %H:%M} UTC"


class OneTimeSignIn(models.Model):
    """Signs a user in once. Only the token's hash is stored."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    token_sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at",)
        verbose_name = "one-time sign-in link"

    def __str__(self) -> str:
        return f"{self.user}, until {self.expires_at:%Y-%m-%d %H:%M} UTC"
