"""Questions to a cluster, from the row to the answer, asked of brokers in this process."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workers.capture.small_cluster import TOPIC, Log, SmallCluster, filled
from tests.workers.capturing import ASKED, servers
from webapp.clusters.models import Cluster, Trial
from workers.jobs.runner import perform
from workers.kinds import trial as asking

pytestmark = pytest.mark.django_db
SECRET = "correct horse battery staple"


@pytest.fixture
def ask(project: Any, house: Any, settings: Any) -> Any:
    """`ask("topics", servers)`: the question after the worker was at it."""
    settings.KAFKA_NETWORKS = ["loopback"]

    def asked(kind: str, bootstrap: str, what: Any = None, **members: Any) -> Trial:
        cluster = Cluster.objects.create(project=project, name="staging", bootstrap=bootstrap, **members)
        trial = Trial.objects.create(cluster=cluster, kind=kind, asked=what or {})
        perform(asking.KIND, str(trial.pk))
        trial.refresh_from_db()
        return trial

    return asked


def test_a_test_tells_its_steps_and_keeps_the_outcome(ask: Any) -> None:
    with SmallCluster(Log(filled(3))) as small:
        done = ask("trial", servers(small))
    assert done.state == "done"
    (place,) = done.result["places"]
    states = {step["id"]: step["state"] for step in place["steps"]}
    assert states["name"] == states["port"] == states["versions"] == states["topics"] == "works"


def test_each_step_can_be_read_while_the_test_runs(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    diagnose = asking.diagnose

    def looked(address: Any, networks: Any, told: Any) -> Any:
        def heard(outcome: Any) -> None:
            told(outcome)
            (place,) = Trial.objects.get().result["places"]
            seen.append(sum(step["state"] == "works" for step in place["steps"]))

        return diagnose(address, networks, heard)

    monkeypatch.setattr(asking, "diagnose", looked)
    with SmallCluster(Log(filled(3))) as small:
        ask("trial", servers(small))
    assert seen[:4] == [1, 2, 3, 4]


def test_a_test_of_a_port_where_nobody_listens_says_what_to_do(ask: Any) -> None:
    done = ask("trial", "127.0.0.1:1")
    assert (done.state, done.result["is_fine"]) == ("done", False)
    failed = [step for step in done.result["places"][0]["steps"] if step["state"] == "failed"]
    assert failed[0]["id"] == "port"
    assert failed[0]["cure"]


def test_topics_and_an_estimate(ask: Any) -> None:
    with SmallCluster(Log(filled(5)), Log(filled(2))) as small:
        (topic,) = ask("topics", servers(small)).result["topics"]
        assert (topic["name"], topic["partition_count"], topic["offset_count"]) == (TOPIC, 2, 14)
        assert topic["partitions"] == []
        Cluster.objects.all().delete()
        result = ask("estimate", servers(small), ASKED).result
        assert result["offsets"] == 14
        assert [line["to_offset"] for line in result["partitions"]] == [10, 4]


def test_what_goes_wrong_is_kept_in_words(ask: Any, settings: Any) -> None:
    failed = ask("topics", "127.0.0.1:1")
    assert (failed.state, failed.result) == ("failed", None)
    assert "127.0.0.1:1" in failed.error
    Cluster.objects.all().delete()
    settings.KAFKA_NETWORKS = []
    assert "KAFKA_NETWORKS" in ask("topics", "127.0.0.1:1").error
    Cluster.objects.all().delete()
    with SmallCluster(Log()) as small:
        settings.KAFKA_NETWORKS = ["loopback"]
        assert "no partition 7" in ask("estimate", servers(small), ASKED | {"partitions": [7]}).error


def test_secrets_of_another_key_are_said_to_be_unreadable(ask: Any, settings: Any, project: Any) -> None:
    sealed = Cluster(name="x")
    sealed.secrets = {"password": SECRET}
    settings.SECRET_KEY = "another one"
    how = {"protocol": "SASL_PLAINTEXT", "mechanism": "PLAIN", "username": "somebody"}
    failed = ask("topics", "127.0.0.1:1", sealed_secrets=sealed.sealed_secrets, **how)
    assert "SECRET_KEY" in failed.error


def test_an_address_has_what_its_protocol_needs_and_nothing_else() -> None:
    cluster = Cluster(
        bootstrap="a:1, b:2", ca_pem="ca", username="somebody", mechanism="PLAIN", registry_url="https://r"
    )
    cluster.secrets = {"password": SECRET, "key_pem": "key", "registry_password": SECRET}
    plain = asking.address_of(cluster)
    assert plain.bootstrap == ("a:1", "b:2")
    assert (plain.security.ca_pem, plain.security.password, plain.security.username) == (None, None, None)
    cluster.protocol = "SASL_SSL"
    both = asking.address_of(cluster).security
    assert (both.ca_pem, both.key_pem, both.password, both.mechanism) == ("ca", "key", SECRET, "PLAIN")
    assert SECRET not in repr(both)
    registry = asking.registry_of(cluster)
    assert registry is not None
    assert (registry.url, registry.password) == ("https://r", SECRET)
    assert SECRET not in repr(registry)


def test_what_another_worker_is_at_is_left_alone(ask: Any, project: Any) -> None:
    cluster = Cluster.objects.create(project=project, name="one", bootstrap="127.0.0.1:1")
    trial = Trial.objects.create(cluster=cluster, kind="topics", state="running")
    perform(asking.KIND, str(trial.pk))
    trial.refresh_from_db()
    assert trial.state == "running"
