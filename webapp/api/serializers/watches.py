"""Watches, a journal's history, and questions to the format advisor."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from webapp.api.serializers.clusters import NewEstimate
from webapp.api.serializers.pages import Paging, Person
from webapp.clusters.models import SCHEDULES


class WatchShape(serializers.Serializer[Any]):
    """A capture that is repeated."""

    id = serializers.UUIDField()
    project = serializers.SlugField(source="cluster.project.slug")
    cluster = serializers.UUIDField(source="cluster_id")
    topic = serializers.CharField()
    asked = serializers.DictField(help_text="of its first run; docs/captures.md")
    every_minutes = serializers.IntegerField()
    next_at = serializers.DateTimeField()
    is_on = serializers.BooleanField()
    failures = serializers.IntegerField(help_text="in a row")
    error = serializers.CharField(allow_blank=True)
    last_capture = serializers.UUIDField(source="last_capture_id", allow_null=True)
    created_by = Person()
    created_at = serializers.DateTimeField()


class WatchesAsked(Paging):
    """Narrowed."""

    cluster = serializers.UUIDField(required=False)


class NewWatch(NewEstimate):
    """What to watch, and how often. Limits hold for each run; each ends at the last record there is."""

    last = None
    every_minutes = serializers.ChoiceField(list(SCHEDULES), default=60)


class WatchChange(serializers.Serializer[Any]):
    """What is left out stays."""

    every_minutes = serializers.ChoiceField(list(SCHEDULES), required=False)
    is_on = serializers.BooleanField(required=False)


class NewRun(serializers.Serializer[Any]):
    """A run before it is due."""

    is_afresh = serializers.BooleanField(default=False, help_text="all of it again, instead of what is new")


class NewAdvice(serializers.Serializer[Any]):
    """A topic of the cluster."""

    topic = serializers.RegexField(r"^[A-Za-z0-9._-]{1,249}$")


class PointShape(serializers.Serializer[Any]):
    """One inspected dump."""

    journal = serializers.UUIDField(source="journal.pk")
    inspection = serializers.UUIDField(source="inspection.pk")
    at = serializers.DateTimeField()
    size_bytes = serializers.IntegerField()
    records = serializers.IntegerField()
    keys = serializers.IntegerField(allow_null=True)
    open_findings = serializers.DictField(source="findings", child=serializers.IntegerField())
    verdict_level = serializers.CharField(source="inspection.verdict_level")


class HistoryShape(serializers.Serializer[Any]):
    """The dumps of one journal, oldest first."""

    points = PointShape(many=True)
