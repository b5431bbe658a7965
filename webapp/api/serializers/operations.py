"""Jobs of the workers, and what is stored."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from webapp.api.serializers.pages import Person
from webapp.api.states import JOB_KINDS


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
    stage = serializers.CharField(help_text="of one that runs, as its worker last told; empty: not known")
    stage_seconds = serializers.FloatField()
    is_abandoned = serializers.BooleanField(help_text="it should run, and no worker says that it does")
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
    waiting = JobShape(many=True, help_text="the first to be taken up")
    waiting_count = serializers.IntegerField()
    failed = JobShape(many=True, help_text="the newest")
    failed_count = serializers.IntegerField()
    workers = WorkerShape(many=True)
    queue_length = serializers.IntegerField(allow_null=True, help_text="null: the queue cannot be reached")


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
