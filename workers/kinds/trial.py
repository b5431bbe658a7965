"""One question to a cluster from the queue to its answer; small enough to live in its row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from django.conf import settings

from webapp.clusters.models import Cluster as Row
from webapp.clusters.models import SealBroken, Trial
from webapp.jobs import lifecycle
from workers.capture import CaptureSpec, estimate, format_advice
from workers.capture.schemas import RegistryEndpoint
from workers.jobs.runner import Attempt, JobFailed, JobKind
from workers.kafka import Address, KafkaCluster, KafkaError, Networks, Security
from workers.kafka.diagnosis import Diagnosis, diagnose
from workers.kafka.topics import topics_of

TLS = ("ca_pem", "certificate_pem", "check_host_name")
TLS_SECRETS = ("key_pem", "key_password")
SASL = ("mechanism", "username", "token_url", "client_id", "scope")
SASL_SECRETS = ("password", "token", "client_secret")


class TrialJob(JobKind):
    name = "trial"
    related = ("cluster__project", "requested_by")
    expected = (JobFailed, KafkaError, SealBroken, ValueError)

    def execute(self, attempt: Attempt) -> dict[str, Any]:
        return {"result": ANSWERS[attempt.job.kind](attempt.job)}


KIND = TrialJob()


def address_of(cluster: Row) -> Address:
    """Where it is and how one signs in, secrets opened. Raises SealBroken, and ValueError for what is no address."""
    secrets = cluster.secrets
    plain: tuple[str, ...] = ()
    sealed: tuple[str, ...] = ()
    if cluster.protocol.endswith("SSL"):
        plain, sealed = plain + TLS, sealed + TLS_SECRETS
    if cluster.protocol.startswith("SASL"):
        plain, sealed = plain + SASL, sealed + SASL_SECRETS
    members: dict[str, Any] = {name: getattr(cluster, name) for name in plain}
    members |= {name: secrets.get(name) for name in sealed}
    filled = {name: value for name, value in members.items() if value not in ("", None)}
    return Address(tuple(cluster.servers), Security(protocol=cluster.protocol, **filled))


def registry_of(cluster: Row | None) -> RegistryEndpoint | None:
    """The cluster's schema registry and how one signs in there, if it has one. Raises SealBroken."""
    if cluster is None or not cluster.registry_url:
        return None
    password = cluster.secrets.get("registry_password", "")
    ca_pem = cluster.registry_ca_pem or None
    return RegistryEndpoint(cluster.registry_url, cluster.registry_username, password, ca_pem)


def networks() -> Networks:
    """Networks that this installation may connect to."""
    return Networks.of(settings.KAFKA_NETWORKS)


def _tried(trial: Trial) -> dict[str, Any]:
    """Step by step; the page sees each step as it comes."""

    def show(diagnosis: Diagnosis) -> None:
        lifecycle.held(trial).update(result=asdict(diagnosis))

    return asdict(diagnose(address_of(trial.cluster), networks(), show))


def _topics(trial: Trial) -> dict[str, Any]:
    """All topics without their partitions, which nobody looks at and which may be thousands."""
    with KafkaCluster(address_of(trial.cluster), networks()) as cluster:
        listed = topics_of(cluster)
    topics = [asdict(replace(topic, partitions=())) for topic in listed.topics]
    return {"topics": topics, "notes": list(listed.notes)}


def _estimated(trial: Trial) -> dict[str, Any]:
    with KafkaCluster(address_of(trial.cluster), networks()) as cluster:
        return asdict(estimate(cluster, CaptureSpec.of(trial.asked)))


def _advised(trial: Trial) -> dict[str, Any]:
    """What the brokers and a topic mean for clients and upgrades."""
    with KafkaCluster(address_of(trial.cluster), networks()) as cluster:
        return format_advice.advise(cluster, trial.asked["topic"])


ANSWERS: dict[str, Callable[[Trial], dict[str, Any]]] = {
    Trial.Kind.TRIAL: _tried,
    Trial.Kind.TOPICS: _topics,
    Trial.Kind.ESTIMATE: _estimated,
    Trial.Kind.ADVICE: _advised,
}
