"""Clusters, what they are asked, captures. No secret is ever in an answer."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from webapp.api.serializers.pages import Paging, Person
from webapp.api.states import CAPTURE_STATES, RESULT_STATES
from webapp.clusters.models import SECRETS, Cluster, Trial

MOST_PEM = 100_000
MOST_ASKED = 1000


def text(most: int = 500, **more: Any) -> serializers.CharField:
    """May be empty."""
    return serializers.CharField(max_length=most, allow_blank=True, required=False, **more)


class ClusterShape(serializers.Serializer[Any]):
    """Where a cluster is and how one signs in; of secrets only which are kept."""

    id = serializers.UUIDField()
    project = serializers.SlugField(source="project.slug")
    name = serializers.CharField()
    bootstrap = serializers.CharField(help_text="`host:port` set apart by commas")
    protocol = serializers.ChoiceField(Cluster.Protocol.choices)
    ca_pem = serializers.CharField(allow_blank=True)
    certificate_pem = serializers.CharField(allow_blank=True)
    check_host_name = serializers.BooleanField()
    mechanism = serializers.ChoiceField(Cluster.Mechanism.choices, allow_blank=True)
    username = serializers.CharField(allow_blank=True)
    token_url = serializers.CharField(allow_blank=True)
    client_id = serializers.CharField(allow_blank=True)
    scope = serializers.CharField(allow_blank=True)
    registry_url = serializers.CharField(allow_blank=True)
    registry_username = serializers.CharField(allow_blank=True)
    registry_ca_pem = serializers.CharField(allow_blank=True)
    created_by = Person()
    created_at = serializers.DateTimeField()
    changed_at = serializers.DateTimeField()


class Secrets(serializers.Serializer[Any]):
    """Those that are given are kept encrypted and never shown."""

    key_pem = text(MOST_PEM)
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
    ca_pem = text(MOST_PEM)
    certificate_pem = text(MOST_PEM)
    check_host_name = serializers.BooleanField(required=False)
    mechanism = serializers.ChoiceField(Cluster.Mechanism.choices, allow_blank=True, required=False)
    username = text(200)
    token_url = text()
    client_id = text(200)
    scope = text()
    registry_url = text()
    registry_username = text(200)
    registry_ca_pem = text(MOST_PEM)
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


class TrialShape(serializers.Serializer[Any]):
    """A question to a cluster."""

    id = serializers.UUIDField()
    cluster = serializers.UUIDField(source="cluster_id")
    kind = serializers.ChoiceField(Trial.Kind.choices)
    asked = serializers.DictField()
    state = serializers.ChoiceField(RESULT_STATES)
    error = serializers.CharField(allow_blank=True)
    requested_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    result = serializers.DictField(allow_null=True, help_text="docs/clusters.md")


class TrialsAsked(Paging):
    """Narrowed."""

    kind = serializers.ChoiceField(Trial.Kind.choices, required=False)


class NewTrial(serializers.Serializer[Any]):
    """What is asked: a test, or the topics."""

    kind = serializers.ChoiceField([Trial.Kind.TRIAL, Trial.Kind.TOPICS])


class Place(serializers.Serializer[Any]):
    """An offset or a time; neither: the first or the last record there is."""

    offset = serializers.IntegerField(min_value=0, max_value=2**63 - 2, required=False)
    time = serializers.DateTimeField(required=False)


class NewEstimate(serializers.Serializer[Any]):
    """What to capture."""

    topic = serializers.RegexField(r"^[A-Za-z0-9._-]{1,249}$")
    partitions = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1), required=False, max_length=MOST_ASKED,
        help_text="default: all",
    )  # fmt: skip
    first = Place(required=False)
    last = Place(required=False, help_text="included")
    max_mb = serializers.IntegerField(min_value=1, max_value=10**9, required=False)
    mb_per_second = serializers.FloatField(min_value=0.01, max_value=10**6, required=False)


class NewCapture(serializers.Serializer[Any]):
    """An estimate that was answered says what is captured."""

    estimate = serializers.UUIDField()


class CaptureShape(serializers.Serializer[Any]):
    """A capture."""

    id = serializers.UUIDField()
    project = serializers.SlugField(source="project.slug")
    cluster = serializers.UUIDField(source="cluster_id", allow_null=True, help_text="null: removed")
    cluster_name = serializers.CharField()
    topic = serializers.CharField()
    asked = serializers.DictField(help_text="docs/captures.md")
    state = serializers.ChoiceField(CAPTURE_STATES)
    error = serializers.CharField(allow_blank=True)
    size_bytes = serializers.IntegerField()
    requested_by = Person()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    journal = serializers.UUIDField(source="journal_id", allow_null=True)


class CaptureDetail(CaptureShape):
    """With its manifest."""

    manifest = serializers.DictField(allow_null=True, help_text="docs/captures.md, once it is over")


class CapturesAsked(Paging):
    """Narrowed."""

    project = serializers.SlugField(required=False)
    cluster = serializers.UUIDField(required=False)
    topic = serializers.CharField(required=False, max_length=249)
    state = serializers.ChoiceField(CAPTURE_STATES, required=False)
