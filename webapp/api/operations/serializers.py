"""Jobs of the workers, what is stored and for how long, and the audit log."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from webapp.api.rest.pages import Paging, Person
from webapp.api.rest.rows import RowShape
from webapp.api.rest.states import JOB_KINDS
from webapp.audit.models import Event
from webapp.journals.models import Journal
from webapp.operations.forms import MAX_DAYS


class JobShape(serializers.Serializer[Any]):
    """Something that a worker has to do, does or could not do."""

    kind = serializers.ChoiceField(JOB_KINDS, source="kind.name")
    id = serializers.UUIDField(source="run.pk")
    journal_name = serializers.CharField(source="title")
    project = serializers.SlugField(source="project.slug")
    state = serializers.CharField(source="run.state", help_text="queued | running | failed")
    error = serializers.CharField(source="run.error", help_text="what went wrong and what to do")
    asked_at = serializers.DateTimeField()
    asked_by = Person()
    stage = serializers.CharField(
        help_text="of a running job, as last reported by its worker; empty: unknown"
    )
    stage_seconds = serializers.FloatField()
    is_abandoned = serializers.BooleanField(help_text="no worker reports that it runs")
    may_start_again = serializers.BooleanField()
    page = serializers.CharField(source="url", help_text="path of its page")


class WorkerShape(serializers.Serializer[Any]):
    """A worker that is alive."""

    host = serializers.CharField()
    pid = serializers.IntegerField()
    began_at = serializers.DateTimeField()
    said_at = serializers.DateTimeField()


class JobsShape(serializers.Serializer[Any]):
    """Of the projects of which you are an admin."""

    running = JobShape(many=True)
    waiting = JobShape(many=True, help_text="the next to start")
    waiting_count = serializers.IntegerField()
    failed = JobShape(many=True, help_text="the newest")
    failed_count = serializers.IntegerField()
    workers = WorkerShape(many=True)
    queue_length = serializers.IntegerField(allow_null=True, help_text="null: the queue is not available")


class StoredShape(serializers.Serializer[Any]):
    """Bytes by what they are."""

    raw_bytes = serializers.IntegerField()
    result_bytes = serializers.IntegerField()
    share_bytes = serializers.IntegerField()
    total_bytes = serializers.IntegerField()
    inspections = serializers.IntegerField()


class ProjectStored(StoredShape):
    """Of a project."""

    project = serializers.SlugField()
    journals = serializers.IntegerField()
    used_bytes = serializers.IntegerField(help_text="that count for its quota")
    started = serializers.IntegerField(help_text="inspections within 24 hours")


class JournalStored(StoredShape):
    """Of a journal."""

    journal = serializers.UUIDField()
    name = serializers.CharField()
    project = serializers.SlugField()


class StorageShape(serializers.Serializer[Any]):
    """Of the projects of which you are an admin."""

    projects = ProjectStored(many=True)
    largest = JournalStored(many=True, help_text="journals")
    total_bytes = serializers.IntegerField()
    site = serializers.DictField(
        child=serializers.IntegerField(), allow_null=True, help_text="superusers in a session only"
    )


class OutlookQuery(serializers.Serializer[Any]):
    """Days that are not set yet."""

    days = serializers.IntegerField(
        required=False, min_value=1, max_value=MAX_DAYS, help_text="default: as the project has it"
    )


class RemovalShape(serializers.Serializer[Any]):
    """What goes, counted."""

    journals = serializers.IntegerField()
    files = serializers.IntegerField()
    file_bytes = serializers.IntegerField()
    freed_bytes = serializers.IntegerField(help_text="on disk; bytes that another journal uses stay")
    inspections = serializers.IntegerField()
    repairs = serializers.IntegerField()
    result_bytes = serializers.IntegerField()
    shares = serializers.IntegerField()
    findings = serializers.IntegerField()
    sentence = serializers.CharField()


class GoingShape(RowShape):
    """A journal that goes."""

    class Meta:
        model = Journal
        fields = ("id", "name", "ticket", "created_at")


class OutlookShape(serializers.Serializer[Any]):
    """What the next run deletes."""

    days = serializers.IntegerField(allow_null=True, help_text="null: no automatic end")
    removal = RemovalShape()
    going = GoingShape(many=True, help_text="the oldest of them")
    going_count = serializers.IntegerField()
    soon_count = serializers.IntegerField(help_text="that follow within soon_days")
    soon_days = serializers.IntegerField()
    held_count = serializers.IntegerField(help_text="journals under legal hold, which stay")


class EventShape(RowShape):
    """One line of the audit log."""

    actor = serializers.CharField(
        source="actor_name", allow_blank=True, help_text="empty: the system, or a guest"
    )
    project = serializers.IntegerField(source="project_id", allow_null=True)
    address = serializers.CharField(allow_null=True)

    class Meta:
        model = Event
        fields = (
            "id", "at", "actor", "action", "project", "target_kind", "target_id", "target_name", "address",
            "request_id", "detail",
        )  # fmt: skip


class EventsQuery(Paging):
    """As on the page Audit log."""

    actor = serializers.CharField(required=False, max_length=150, help_text="part of the name")
    action = serializers.CharField(required=False, max_length=40, help_text="its beginning, such as journal.")
    target = serializers.CharField(
        required=False, max_length=200, help_text="part of the name, or the whole id"
    )
    project = serializers.SlugField(required=False)
    since = serializers.CharField(
        required=False, max_length=40, help_text="2026-01-31 or 2026-01-31 10:30, UTC"
    )
    until = serializers.CharField(required=False, max_length=40)
    request = serializers.CharField(required=False, max_length=40, help_text="id of a request")
