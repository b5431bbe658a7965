"""Clusters, what they are asked, captures, watches, a journal's history. No secret is ever in an answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from webapp.api.rest.pages import Paging
from webapp.api.rest.rows import RowShape
from webapp.api.rest.states import CAPTURE_STATES, RESULT_STATES
from webapp.clusters.models import SCHEDULES, SECRETS, Capture, Cluster, Trial, Watch

MAX_PEM = 100_000
MAX_PARTITIONS = 1000
TOPIC = r"^[A-Za-z0-9._-]{1,249}$"


def text(max_length: int = 500, **extra: Any) -> serializers.CharField:
    """May be empty."""
    return serializers.CharField(max_length=max_length, allow_blank=True, required=False, **extra)


class ClusterShape(RowShape):
    """Where a cluster is and how one signs in; of secrets only which are kept."""

    project = serializers.SlugField(source="project.slug")
    bootstrap = serializers.CharField(help_text="`host:port` set apart by commas")

    class Meta:
        model = Cluster
        fields = (
            "id", "project", "name", "bootstrap", "protocol", "ca_pem", "certificate_pem", "check_host_name",
            "mechanism", "username", "token_url", "client_id", "scope", "registry_url", "registry_username",
            "registry_ca_pem", "created_by", "created_at", "changed_at",
        )  # fmt: skip


class Secrets(serializers.Serializer[Any]):
    """Those that are given are kept encrypted and never shown."""

    key_pem = text(MAX_PEM)
    key_password = text()
    password = text()
    token = text(20_000)
    client_secret = text()
    registry_password = text()


class ClusterChange(serializers.Serializer[Any]):
    """What is left out stays. Whoever changes where a secret is sent gives it again."""

    name = serializers.CharField(max_length=60, required=False)
    bootstrap = serializers.CharField(max_length=10_000, required=False)
    protocol = serializers.ChoiceField(Cluster.Protocol.choices, required=False)
    ca_pem = text(MAX_PEM)
    certificate_pem = text(MAX_PEM)
    check_host_name = serializers.BooleanField(required=False)
    mechanism = serializers.ChoiceField(Cluster.Mechanism.choices, allow_blank=True, required=False)
    username = text(200)
    token_url = text()
    client_id = text(200)
    scope = text()
    registry_url = text()
    registry_username = text(200)
    registry_ca_pem = text(MAX_PEM)
    secrets = Secrets(required=False)
    removed_secrets = serializers.ListField(
        child=serializers.ChoiceField(SECRETS), required=False, max_length=len(SECRETS)
    )


class NewCluster(ClusterChange):
    """A cluster that is not connected yet."""

    name = serializers.CharField(max_length=60)
    bootstrap = serializers.CharField(max_length=10_000, help_text="`host:port` set apart by commas")
    protocol = serializers.ChoiceField(Cluster.Protocol.choices, default=Cluster.Protocol.PLAINTEXT)
    check_host_name = serializers.BooleanField(default=True)


class TrialShape(RowShape):
    """A question to a cluster."""

    state = serializers.ChoiceField(RESULT_STATES)
    result = serializers.DictField(allow_null=True, help_text="docs/clusters.md")

    class Meta:
        model = Trial
        fields = ("id", "cluster", "kind", "asked", "state", "error", "requested_at", "finished_at", "result")


class TrialsQuery(Paging):
    """Narrowed."""

    kind = serializers.ChoiceField(Trial.Kind.choices, required=False)


class NewTrial(serializers.Serializer[Any]):
    """What is asked: a test, or the topics."""

    kind = serializers.ChoiceField([Trial.Kind.TRIAL, Trial.Kind.TOPICS])


@extend_schema_serializer(component_name="Place")
class StartPosition(serializers.Serializer[Any]):
    """An offset or a time; neither: the first or the last record there is."""

    offset = serializers.IntegerField(min_value=0, max_value=2**63 - 2, required=False)
    time = serializers.DateTimeField(required=False)


class NewEstimate(serializers.Serializer[Any]):
    """What to capture."""

    topic = serializers.RegexField(TOPIC)
    partitions = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1), required=False, max_length=MAX_PARTITIONS,
        help_text="default: all",
    )  # fmt: skip
    first = StartPosition(required=False)
    last = StartPosition(required=False, help_text="included")
    max_mb = serializers.IntegerField(min_value=1, max_value=10**9, required=False)
    mb_per_second = serializers.FloatField(min_value=0.01, max_value=10**6, required=False)


class NewCapture(serializers.Serializer[Any]):
    """An estimate that was answered says what is captured."""

    estimate = serializers.UUIDField()


class CaptureShape(RowShape):
    """A capture."""

    project = serializers.SlugField(source="project.slug")
    cluster = serializers.UUIDField(source="cluster_id", allow_null=True, help_text="null: removed")
    asked = serializers.DictField(help_text="docs/captures.md")
    state = serializers.ChoiceField(CAPTURE_STATES)

    class Meta:
        model = Capture
        fields = (
            "id", "project", "cluster", "cluster_name", "topic", "asked", "state", "error", "size_bytes",
            "requested_by", "created_at", "finished_at", "journal",
        )  # fmt: skip


class CaptureDetail(CaptureShape):
    """With its manifest."""

    manifest = serializers.DictField(allow_null=True, help_text="docs/captures.md, once it is over")


class CapturesQuery(Paging):
    """Narrowed."""

    project = serializers.SlugField(required=False)
    cluster = serializers.UUIDField(required=False)
    topic = serializers.CharField(required=False, max_length=249)
    state = serializers.ChoiceField(CAPTURE_STATES, required=False)


class WatchShape(RowShape):
    """A capture that is repeated."""

    project = serializers.SlugField(source="cluster.project.slug")
    asked = serializers.DictField(help_text="of its first run; docs/captures.md")
    failures = serializers.IntegerField(help_text="in a row")

    class Meta:
        model = Watch
        fields = (
            "id", "project", "cluster", "topic", "asked", "every_minutes", "next_at", "is_on", "failures", "error",
            "last_capture", "created_by", "created_at",
        )  # fmt: skip


class WatchesQuery(Paging):
    """Narrowed."""

    cluster = serializers.UUIDField(required=False)


class NewWatch(NewEstimate):
    """What to watch, and how often. Limits hold for each run; each ends at the last record there is."""

    last = None  # type: ignore[assignment]  # the framework's way to leave an inherited member out
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

    topic = serializers.RegexField(TOPIC)


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
