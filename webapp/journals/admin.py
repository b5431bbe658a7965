"""Django admin of journals: to look, not to edit what the pipeline wrote. Deleting with bytes is the pages' job."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from webapp.journals.models import Blob, Inspection, Journal, Repair, Upload


class LookOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows are tied to bytes and result folders, so they are neither added nor deleted here."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnly(LookOnly):
    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Journal)
class JournalAdmin(LookOnly):
    """Name, ticket and owner can be corrected."""

    list_display = ("name", "ticket", "created_by", "created_at", "complete_at", "is_sample")
    list_filter = ("is_sample", "created_at")
    search_fields = ("name", "ticket", "input_digest")
    readonly_fields = ("complete_at", "input_digest", "is_on_hold")


@admin.register(Inspection)
class InspectionAdmin(ReadOnly):
    list_display = (
        "journal",
        "state",
        "verdict_level",
        "attempts",
        "requested_by",
        "created_at",
        "finished_at",
    )
    list_filter = ("state",)
    search_fields = ("journal__name", "id")


@admin.register(Repair)
class RepairAdmin(ReadOnly):
    list_display = ("inspection", "state", "attempts", "requested_by", "created_at", "finished_at")
    list_filter = ("state",)
    search_fields = ("inspection__journal__name", "id")


@admin.register(Upload)
class UploadAdmin(ReadOnly):
    list_display = ("name", "journal", "size_bytes", "received_bytes", "created_at", "expires_at")
    search_fields = ("name", "blob__sha256")


@admin.register(Blob)
class BlobAdmin(ReadOnly):
    list_display = ("sha256", "size_bytes", "stored_at")
    search_fields = ("sha256",)
