"""Clusters and captures by API; no answer holds a secret."""

from __future__ import annotations

from typing import Any

import pytest

from tests.webapp.clusters.conftest import (
    ASKED,
    ESTIMATE,
    SECRET,
    captured,
    connected,
    estimated,
    topics_told,
)
from webapp.audit.models import Event
from webapp.clusters.models import Capture, Cluster, Trial

CLUSTERS = "/projects/default/clusters/"
GIVEN = {
    "name": "production", "bootstrap": "a.example.org:9092", "protocol": "SASL_SSL", "mechanism": "SCRAM-SHA-512",
    "username": "somebody", "secrets": {"password": SECRET},
}  # fmt: skip


def test_a_cluster_is_connected_changed_and_removed(admin: Any, viewer: Any, program: Any) -> None:
    caller = program(admin, "admin", "read")
    made = caller.post(CLUSTERS, GIVEN)
    assert made.status_code == 201, made.content
    told, cluster = made.json(), Cluster.objects.get()
    assert (told["id"], told["project"], told["bootstrap"]) == (
        str(cluster.pk),
        "default",
        GIVEN["bootstrap"],
    )
    assert cluster.secrets == {"password": SECRET}
    one = f"/clusters/{cluster.pk}/"
    assert program(viewer).get(one).json() == told
    assert program(viewer).get(CLUSTERS).json()["results"] == [told]
    assert caller.patch(one, {"name": "staging"}).json()["name"] == "staging"
    elsewhere = caller.patch(one, {"bootstrap": "mine.example.org:9092"})
    assert (elsewhere.status_code, elsewhere.json()["field"]) == (400, "password")
    plain = caller.patch(one, {"protocol": "PLAINTEXT", "removed_secrets": ["password"]})
    assert plain.status_code == 200, plain.content
    cluster.refresh_from_db()
    assert (cluster.name, cluster.secrets, cluster.sealed_secrets) == ("staging", {}, "")
    assert caller.delete(one).status_code == 204
    assert not Cluster.objects.exists()
    everything = [made.content, elsewhere.content, plain.content, str(list(Event.objects.values())).encode()]
    assert not [text for text in everything if SECRET.encode() in text]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"bootstrap": "nowhere"}, "bootstrap"),
        ({"mechanism": ""}, "mechanism"),
        ({"secrets": {}}, "password"),
        ({"protocol": "SASL"}, "protocol"),
        ({"secrets": {"password": ["a"]}}, "secrets"),
        ({"registry_url": "ftp://example.org"}, "registry_url"),
    ],
)
def test_what_cannot_be_connected_is_refused(
    admin: Any, program: Any, given: dict[str, Any], field: str
) -> None:
    answer = program(admin).post(CLUSTERS, GIVEN | given)
    assert answer.status_code == 400
    assert answer.json()["field"].startswith(field)
    assert not Cluster.objects.exists()


def test_a_cluster_is_tested_and_asked_for_its_topics(owner: Any, program: Any, cluster: Cluster) -> None:
    caller = program(owner, "inspect", "read")
    trials = f"/clusters/{cluster.pk}/trials/"
    asked = caller.post(trials, {"kind": "trial"})
    assert (asked.status_code, asked.json()["state"]) == (202, "queued")
    assert caller.get(f"/trials/{asked.json()['id']}/").json() == asked.json()
    assert caller.get(f"/clusters/{cluster.pk}/topics/").status_code == 404
    topics_told(cluster)
    answer = caller.get(f"/clusters/{cluster.pk}/topics/").json()
    assert next(topic["name"] for topic in answer["result"]["topics"]) == "kafkasql-journal"
    assert [one["kind"] for one in caller.get(f"{trials}?kind=topics").json()["results"]] == ["topics"]
    assert len(caller.get(trials).json()["results"]) == 2
    assert caller.post(trials, {"kind": "estimate"}).status_code == 400
    assert program(owner, "read").post(trials, {"kind": "trial"}).status_code == 403


def test_a_capture_is_estimated_started_paused_resumed_and_ended(
    owner: Any, program: Any, cluster: Cluster
) -> None:
    caller = program(owner, "inspect", "read")
    here = f"/clusters/{cluster.pk}/"
    asked = caller.post(
        f"{here}estimates/",
        {"topic": "orders", "partitions": [0], "first": {"offset": 7}, "last": {"offset": 9}},
    )
    assert asked.status_code == 202, asked.content
    ask = ASKED | {"partitions": [0], "start": {"offset": 7}, "end": {"offset": 10}}
    assert asked.json()["asked"] == ask
    estimate = {"estimate": asked.json()["id"]}
    assert caller.post(f"{here}captures/", estimate).status_code == 400
    Trial.objects.update(state="done", result=ESTIMATE)
    started = caller.post(f"{here}captures/", estimate)
    assert started.status_code == 201, started.content
    capture = Capture.objects.get()
    one = f"/captures/{capture.pk}/"
    assert started.json() == caller.get(one).json()
    assert (started.json()["asked"], started.json()["requested_by"]) == (ask, "owner")
    assert caller.post(f"{one}pause/").json()["state"] == "paused"
    assert caller.post(f"{one}resume/").json()["state"] == "queued"
    assert caller.post(f"{one}cancel/").json()["state"] == "cancelled"
    assert caller.post(f"{one}resume/").status_code == 409
    listed = caller.get(f"/captures/?cluster={cluster.pk}&state=cancelled&topic=orders").json()["results"]
    assert [row["id"] for row in listed] == [str(capture.pk)]
    assert "manifest" not in listed[0]
    assert caller.get("/captures/?state=done").json()["results"] == []


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"topic": "no topic"}, "topic"),
        ({"partitions": [-1]}, "partitions"),
        ({"first": {"offset": 9}, "last": {"offset": 7}}, "end_offset"),
        ({"max_mb": 0}, "max_mb"),
    ],
)
def test_what_no_capture_can_do_is_refused(
    owner: Any, program: Any, cluster: Cluster, asked: dict[str, Any], field: str
) -> None:
    answer = program(owner).post(f"/clusters/{cluster.pk}/estimates/", {"topic": "orders"} | asked)
    assert answer.status_code == 400
    assert answer.json()["field"].startswith(field)


def test_more_than_the_quota_is_not_started(owner: Any, program: Any, project: Any, cluster: Cluster) -> None:
    project.quota_bytes = 400_000
    project.save()
    trial = estimated(cluster)
    answer = program(owner).post(f"/clusters/{cluster.pk}/captures/", {"estimate": str(trial.pk)})
    assert answer.status_code == 413
    assert not Capture.objects.exists()


def test_those_of_others_are_not_there(owner: Any, program: Any, theirs: Any, cluster: Cluster) -> None:
    hidden = connected(theirs.project, "HIDDENMARK")
    capture, trial = captured(hidden, topic="HIDDENMARK"), estimated(hidden)
    caller = program(owner)
    for path in (f"/clusters/{hidden.pk}/", f"/captures/{capture.pk}/", f"/trials/{trial.pk}/"):
        assert caller.get(path).status_code == 404, path
    assert caller.post(f"/clusters/{cluster.pk}/captures/", {"estimate": str(trial.pk)}).status_code == 400
    for path in (CLUSTERS, "/captures/"):
        assert b"HIDDENMARK" not in caller.get(path).content
