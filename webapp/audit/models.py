"""The audit log: rows are added and never changed or deleted; the database itself refuses both."""

from __future__ import annotations

from django.db import models


class Event(models.Model):
    """An action or a view of a user. Names are stored beside ids, since the rows may be deleted later."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor_id = models.BigIntegerField(
        null=True, db_index=True, help_text="user; empty: the system, or a guest"
    )
    actor_name = models.CharField(max_length=150, blank=True)
    project_id = models.BigIntegerField(null=True, db_index=True)
    action = models.CharField(max_length=40, db_index=True)
    target_kind = models.CharField(max_length=30, blank=True)
    target_id = models.CharField(max_length=64, blank=True)
    target_name = models.CharField(max_length=250, blank=True)
    address = models.GenericIPAddressField(null=True, help_text="where the request came from")
    request_id = models.CharField(max_length=32, blank=True)
    detail = models.JSONField(default=dict, help_text="numbers and names; never a payload")

    class Meta:
        ordering = ("-pk",)
        indexes = [
            models.Index(fields=("target_kind", "target_id"), name="audit_by_target"),
            models.Index(fields=("project_id", "action", "at"), name="audit_by_project"),
            models.Index(fields=("request_id",), name="audit_by_request"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.actor_name or 'system'} {self.action} {self.target_name}"


class Seal(models.Model):
    """A link of the chain over events (`webapp.audit.chain`), numbered from 1 without gaps."""

    id = models.BigIntegerField(primary_key=True)
    event_id = models.BigIntegerField(
        unique=True, help_text="no foreign key: a missing event is what it shows"
    )
    sha256 = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.pk} {self.sha256[:12]}"
