"""Shares and who opened them. What a share shows lies in tables of its own, below the folder of results."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from webapp.accounts.models import Project
from webapp.jobs.models import Job
from webapp.journals.models import Inspection


class Share(Job):
    """A link to a report or a part of it, frozen and redacted when it was made. The token is not kept."""

    class Audience(models.TextChoices):
        LINK = "link", "anyone with the link"
        SIGNED_IN = "signed_in", "anyone who is signed in"
        PROJECT = "project", "members of the project"

    requested_by = None  # `created_by`, which came first
    project = models.ForeignKey(Project, related_name="shares", on_delete=models.CASCADE)
    inspection = models.ForeignKey(
        Inspection, null=True, related_name="shares", on_delete=models.SET_NULL, help_text="empty: deleted"
    )
    journal_name = models.CharField(max_length=200, help_text="for lists, also when the journal is gone")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)
    token_sha256 = models.CharField(max_length=64, unique=True)
    scope = models.JSONField(help_text="what of the report: whole, tab, key, finding, record")
    options = models.JSONField(help_text="what is hidden")
    salt = models.BinaryField(help_text="of the hashes in it; never shown")
    expires_at = models.DateTimeField(db_index=True)
    password = models.CharField(max_length=200, blank=True)
    max_views = models.PositiveIntegerField(null=True)
    audience = models.CharField(max_length=10, choices=Audience.choices, default=Audience.LINK)
    pinned = models.JSONField(
        default=dict, help_text="hashes of the input, rules, redaction; where it begins"
    )
    views = models.PositiveIntegerField(default=0)
    last_opened_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    source_deleted_at = models.DateTimeField(null=True, help_text="when the inspection it shows was deleted")

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"link to {self.journal_name}, {self.created_at:%Y-%m-%d}"

    @classmethod
    def needed(cls) -> models.QuerySet[Share]:
        """Not those that were revoked, or whose inspection is deleted."""
        return cls._default_manager.filter(revoked_at=None, source_deleted_at=None)

    @property
    def why_closed(self) -> str:
        """deleted | revoked | expired | used_up; empty while it can be opened."""
        if self.revoked_at:
            return "revoked"
        if self.source_deleted_at:
            return "deleted"
        if self.expires_at <= timezone.now():
            return "expired"
        return "used_up" if self.is_used_up else ""

    @property
    def is_used_up(self) -> bool:
        """Whether nobody new may open it; who is looking already may go on."""
        return self.max_views is not None and self.views >= self.max_views


class ShareView(models.Model):
    share = models.ForeignKey(Share, related_name="opened", on_delete=models.CASCADE)
    at = models.DateTimeField(auto_now_add=True)
    address = models.GenericIPAddressField(null=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    page = models.CharField(max_length=200, help_text="path below the link, never the token")
    is_first = models.BooleanField(default=False, help_text="the visit began with it")

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.page}"
