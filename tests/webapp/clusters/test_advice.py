"""The format advisor's page: asked by support, shown with clients, brokers, steps and formats."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from spark.advice.live import advise_cluster
from webapp.clusters.models import Cluster, Trial

BROKERS = [
    {
        "node": 1, "host": "b", "port": 9092, "release": "2.8 to 3.0",
        "api_versions": {"0": [0, 9], "1": [0, 12], "22": [0, 4], "24": [0, 3]},
        "configs": {"inter.broker.protocol.version": {"value": "2.8", "source": "static"}},
    }
]  # fmt: skip
TOPIC = {
    "name": "orders",
    "configs": {"message.format.version": {"value": "0.10.2", "source": "topic"}},
}
FORMATS = [
    {
        "topic": "orders", "partition": 0, "replica": "", "magic": 1, "first_offset": 0, "last_offset": 1234,
        "batches": 9, "first_timestamp_ms": 1, "last_timestamp_ms": 2, "first_leader_epoch": -1, "last_leader_epoch": -1,
    }
]  # fmt: skip


@pytest.fixture
def answered(cluster: Cluster) -> Trial:
    result = {
        "brokers": BROKERS,
        "topic": TOPIC,
        "formats": FORMATS,
        "advice": advise_cluster(BROKERS, TOPIC, FORMATS).document(),
        "not_asked": [{"question": "DescribeLogDirs", "why": "The user may not."}],
    }
    return Trial.objects.create(
        cluster=cluster, kind="advice", asked={"topic": "orders"}, state="done", result=result
    )


def page_of(client: Any, cluster: Cluster, **query: str) -> str:
    return str(client.get(reverse("cluster-advice", args=[cluster.pk]), query).content.decode())


def test_the_answer_names_clients_exceptions_steps_settings_and_formats(
    answered: Trial, viewer: Any, sign_in: Any
) -> None:
    page = page_of(sign_in(viewer), answered.cluster, topic="orders")
    for said in (
        "Magic v1 does not support record headers",
        "2.8 to 3.0",
        "message.format.version, topic",
        "0.10.2 (topic)",
        "Changes, in this order",
        "Before you lower the message format",
        "DescribeLogDirs: The user may not.",
        "<code>kafka-configs.sh --bootstrap-server BROKER:9092",
    ):
        assert said in page


def test_an_answer_about_another_topic_is_not_shown(answered: Trial, viewer: Any, sign_in: Any) -> None:
    assert "Magic v1" not in page_of(sign_in(viewer), answered.cluster, topic="payments")


def test_support_asks_and_the_page_waits(cluster: Cluster, owner: Any, sign_in: Any) -> None:
    client = sign_in(owner)
    answer = client.post(reverse("cluster-advice-ask", args=[cluster.pk]), {"topic": "orders"})
    trial = Trial.objects.get()
    assert (trial.kind, trial.asked) == ("advice", {"topic": "orders"})
    assert reverse("trial-state", args=[trial.pk]) in client.get(answer.url).content.decode()


def test_what_is_no_topic_is_not_asked(cluster: Cluster, owner: Any, sign_in: Any) -> None:
    sign_in(owner).post(reverse("cluster-advice-ask", args=[cluster.pk]), {"topic": "no topic"})
    assert not Trial.objects.exists()


def test_a_failure_is_shown_beside_the_last_answer(answered: Trial, owner: Any, sign_in: Any) -> None:
    Trial.objects.create(
        cluster=answered.cluster,
        kind="advice",
        asked={"topic": "orders"},
        state="failed",
        error="No broker answers.",
    )
    page = page_of(sign_in(owner), answered.cluster, topic="orders")
    assert "No broker answers." in page
    assert "Magic v1" in page


def test_who_may_only_look_asks_nothing(cluster: Cluster, viewer: Any, stranger: Any, sign_in: Any) -> None:
    address = reverse("cluster-advice-ask", args=[cluster.pk])
    assert sign_in(viewer).post(address, {"topic": "orders"}).status_code == 403
    assert sign_in(stranger).post(address, {"topic": "orders"}).status_code == 404
