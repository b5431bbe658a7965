"""Tokens that let a program act for a user. Only the hash of a token is kept."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone

from webapp.accounts.models import Project

SCOPES = {
    "read": "Read projects, journals, reports, tables and findings",
    "upload": "Upload, rename and delete journals",
    "inspect": "Start and cancel inspections, comparisons and repairs",
    "review": "Decide about findings, assign them, comment, write rules",
    "share": "Make and revoke links, export records",
    "admin": "Run projects: members, invitations, settings, channels, legal holds, jobs; read storage and the audit log; end your sessions",
}


class Token(models.Model):
    """What a program shows instead of a password. It never gives more than its user has at that moment."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, related_name="api_tokens", on_delete=models.CASCADE)
    name = models.CharField(max_length=100)
    scopes = models.JSONField(help_text="of SCOPES")
    project = models.ForeignKey(
        Project, null=True, blank=True, related_name="api_tokens", on_delete=models.CASCADE,
        help_text="empty: all projects of the user",
    )  # fmt: skip
    token_sha256 = models.CharField(max_length=64, unique=True)
    last_four = models.CharField(max_length=4, help_text="to tell one's tokens apart")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{self.name} (…{self.last_four})"

    @property
    def is_usable(self) -> bool:
        """Whether it opens anything."""
        return self.revoked_at is None and self.expires_at > timezone.now()

    def allows(self, scope: str) -> bool:
        """Whether it was made for this, too."""
        return scope in self.scopes
