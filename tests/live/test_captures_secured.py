"""Captures through TLS and each way to sign in; when something is wrong, the sentence says what, and the cure."""

from __future__ import annotations

import base64
import dataclasses
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.live import secured
from tests.live.brokers import Broker, Driver
from tests.live.captures import Follower, cluster_of, kept_by_broker, kept_by_us
from tests.live.certificates import Authority
from tests.live.secured import PASSWORD, STRANGER, USER, Doors
from workers.capture import CaptureManifest, CaptureSpec, capture
from workers.kafka.errors import KafkaError, NotAllowed, NotSignedIn, NotTrusted
from workers.kafka.security import Security

pytestmark = pytest.mark.live

VERSIONS = ("4.1.1", "2.8.2")
CLIENT = "CN=live client"  # what a broker calls the owner of our certificate
TOPIC, SECRET_TOPIC = "ledger", "payroll"


@dataclass(frozen=True)
class House:
    """A broker behind doors, with a topic that USER may read and one that USER may not."""

    broker: Broker
    doors: Doors
    folder: Path

    def capture(self, listener: str, security: Security, topic: str = TOPIC) -> CaptureManifest:
        with cluster_of(self.broker, listener, security) as cluster:
            return capture(cluster, CaptureSpec(topic), self.folder / f"{time.monotonic_ns()}", Follower())

    def tls(self, **changed: object) -> Security:
        return dataclasses.replace(Security("SSL", ca_pem=self.doors.authority.pem), **changed)  # type: ignore[arg-type]

    def signed_in(self, mechanism: str, protocol: str = "SASL_SSL", **changed: object) -> Security:
        """As USER."""
        base = Security(
            protocol, self.doors.authority.pem, mechanism=mechanism, username=USER, password=PASSWORD
        )
        return dataclasses.replace(base, **changed)  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=VERSIONS)
def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder, doors = tmp_path_factory.mktemp("house"), Doors.made()
    with doors.broker(request.param, folder / "broker") as broker, Driver(broker.address) as drive:
        drive("producer", "plain", "enable.idempotence=false")
        for topic in (TOPIC, SECRET_TOPIC):
            drive("topic", topic, 1, 1)
            drive("fill", "plain", topic, 0, 0, 100, "value ")
        for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
            for user in (USER, STRANGER):
                drive("scram", user, mechanism, PASSWORD)
        for user in (USER, CLIENT):
            drive("allow", user, "READ", "TOPIC", TOPIC)
        yield House(broker, doors, folder)


def token_of(subject: str) -> str:
    """A token that nobody signed: what a broker takes that was told of no issuer."""
    now = int(time.time())
    parts = ({"alg": "none"}, {"sub": subject, "iat": now, "exp": now + 600})
    return (
        ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
        + "."
    )


def assert_is_whole(house: House, listener: str, security: Security) -> CaptureManifest:
    with cluster_of(house.broker, listener, security) as cluster:
        folder = house.folder / f"{time.monotonic_ns()}"
        manifest = capture(cluster, CaptureSpec(TOPIC), folder, Follower())
    assert kept_by_us(folder, manifest) == kept_by_broker(house.broker, TOPIC)
    assert manifest.partitions[0].got.batches
    return manifest


def test_through_tls(house: House) -> None:
    assert_is_whole(house, "TLS", house.tls())


def test_with_a_client_certificate(house: House) -> None:
    client = house.doors.client
    shown = house.tls(certificate_pem=client.certificate_pem, key_pem=client.key_pem)
    assert_is_whole(house, "MUTUAL", shown)


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_with_scram(house: House, mechanism: str) -> None:
    assert_is_whole(house, "SCRAM", house.signed_in(mechanism))


def test_with_a_password_in_plain(house: House) -> None:
    assert_is_whole(house, "PASSWORD", house.signed_in("PLAIN", "SASL_PLAINTEXT"))


def test_with_a_token(house: House) -> None:
    assert_is_whole(house, "SCRAM", house.signed_in("OAUTHBEARER", token=token_of(secured.TOKEN_SUBJECT)))


def test_what_the_user_may_not_ask_is_named(house: House) -> None:
    manifest = assert_is_whole(house, "SCRAM", house.signed_in("SCRAM-SHA-256"))
    assert "DescribeConfigs" in {one["question"].split()[0] for one in manifest.not_asked}


def test_a_certificate_of_another_authority(house: House) -> None:
    with pytest.raises(NotTrusted) as caught:
        house.capture("TLS", house.tls(ca_pem=Authority("Another authority").pem))
    assert_says(caught.value, cause="unknown authority", cure="PEM of the authority")


def test_a_certificate_of_another_host(house: House) -> None:
    with pytest.raises(NotTrusted) as caught:
        house.capture("ELSEWHERE", house.tls())
    assert_says(caught.value, cause="127.0.0.1", cure="name")
    assert house.capture("ELSEWHERE", house.tls(check_host_name=False)).partitions


def test_a_client_certificate_is_wanted(house: House) -> None:
    with pytest.raises(NotTrusted) as caught:
        house.capture("MUTUAL", house.tls())
    assert_says(caught.value, cause="client certificate", cure="certificate")


def test_plain_text_to_a_port_that_speaks_tls(house: House) -> None:
    with pytest.raises(KafkaError) as caught:
        house.capture("TLS", Security())
    assert_says(caught.value, cause="speaks TLS", cure="SSL")


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-512", "SCRAM-SHA-256"])
def test_a_wrong_password(house: House, mechanism: str) -> None:
    wrong = "not the live pass phrase"
    with pytest.raises(NotSignedIn) as caught:
        house.capture("SCRAM", house.signed_in(mechanism, password=wrong))
    assert_says(caught.value, cause="did not accept user", cure="password")
    assert wrong not in str(caught.value)


def test_a_mechanism_that_the_port_does_not_offer(house: House) -> None:
    with pytest.raises(NotSignedIn) as caught:
        house.capture("SCRAM", house.signed_in("PLAIN"))
    for offered in secured.MECHANISMS["SCRAM"]:
        assert offered in str(caught.value)


def test_denied_by_acl(house: House) -> None:
    for user, topic in ((USER, SECRET_TOPIC), (STRANGER, TOPIC)):
        with pytest.raises(NotAllowed) as caught:
            house.capture("SCRAM", house.signed_in("SCRAM-SHA-256", username=user), topic)
        assert_says(caught.value, cause="has no permission", cure="Read")


def assert_says(error: KafkaError, cause: str, cure: str) -> None:
    assert cause in error.cause, error.cause
    assert cure in error.cure, error.cure
