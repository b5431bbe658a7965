"""Clusters, what they answered, and captures, as workers leave them."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.accounts.models import Project
from webapp.clusters.models import Capture, Cluster, Trial, Watch

SECRET = "correct horse battery staple"
ASKED = {
    "topic": "orders",
    "partitions": None,
    "start": {"at": "earliest"},
    "end": {"at": "latest"},
    "max_bytes": None,
    "bytes_per_second": None,
}
ESTIMATE = {
    "partitions": [
        {"partition": 0, "from_offset": 0, "to_offset": 1000, "offsets": 1000, "size_bytes": 500_000},
        {"partition": 1, "from_offset": 10, "to_offset": 20, "offsets": 10, "size_bytes": 5_000},
    ],
    "offsets": 1010,
    "size_bytes": 505_000,
    "seconds": None,
    "size_unknown_because": None,
}
TOPICS = {
    "topics": [
        {
            "name": "kafkasql-journal", "journal": "Apicurio Registry", "is_internal": False, "partition_count": 1,
            "size_bytes": 12_000, "offset_count": 77, "cleanup_policy": "compact",
        },
        {
            "name": "__consumer_offsets", "journal": "Kafka consumer groups", "is_internal": True,
            "partition_count": 50, "size_bytes": None, "offset_count": 5, "cleanup_policy": "compact",
        },
        {
            "name": "orders", "journal": None, "is_internal": False, "partition_count": 2, "size_bytes": None,
            "offset_count": 1010, "cleanup_policy": None,
        },
        {
            "name": "_hidden", "journal": None, "is_internal": True, "partition_count": 1, "size_bytes": 0,
            "offset_count": 0, "cleanup_policy": "delete",
        },
    ],
    "notes": ["Sizes are unknown."],
}  # fmt: skip
MANIFEST = {
    "cluster": {"id": "cluster-1", "name": "staging"},
    "captured_by": "owner",
    "started_at_ms": 1_769_853_600_000,
    "finished_at_ms": 1_769_853_660_000,
    "brokers": [{"node": 1, "host": "broker1", "port": 9092, "rack": None, "release": "3.9"}],
    "topic": {"name": "orders", "configs": {"cleanup.policy": {"value": "compact", "source": "topic"}}},
    "partitions": [
        {
            "partition": 0, "asked": {"from_offset": 0, "to_offset": 1000}, "is_converted": False,
            "got": {"first_offset": 0, "next_offset": 600, "batches": 6, "size_bytes": 600}, "stopped_by": "limit",
            "events": [{"kind": "leader-changed", "at_ms": 0, "offset": 5, "says": "Broker 2 leads now."}],
        }
    ],
    "transactions": [],
    "not_asked": [{"question": "DescribeProducers", "why": "Broker 1 has no such request."}],
}  # fmt: skip


def text(answer: Any) -> str:
    """As one line."""
    return " ".join(answer.content.decode().split())


def connected(project: Project, name: str = "staging", **members: Any) -> Cluster:
    """A cluster with a password."""
    how = {"protocol": "SASL_PLAINTEXT", "mechanism": "SCRAM-SHA-256", "username": "journalscope"}
    cluster = Cluster(project=project, name=name, bootstrap="broker1.example.org:9092", **(how | members))
    cluster.secrets = {"password": SECRET}
    cluster.save()
    return cluster


def estimated(cluster: Cluster, result: dict[str, Any] | None = None, **asked: Any) -> Trial:
    """An estimate that was answered."""
    return Trial.objects.create(
        cluster=cluster, kind="estimate", asked=ASKED | asked, state="done", result=result or ESTIMATE
    )


def topics_told(cluster: Cluster) -> Trial:
    """Its topics."""
    return Trial.objects.create(cluster=cluster, kind="topics", state="done", result=TOPICS)


def captured(cluster: Cluster, **members: Any) -> Capture:
    """A capture in some state."""
    given = {"project": cluster.project, "cluster_name": cluster.name, "topic": "orders", "asked": ASKED}
    return Capture.objects.create(cluster=cluster, **(given | members))


def watched(cluster: Cluster, **members: Any) -> Watch:
    """A watch that is due."""
    return Watch.objects.create(cluster=cluster, **({"topic": "orders", "asked": ASKED} | members))


@pytest.fixture
def cluster(project: Any) -> Cluster:
    """The project's."""
    return connected(project)
