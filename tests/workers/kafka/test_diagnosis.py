"""Diagnoses of clusters that fail at each step, and of those whose brokers advertise other addresses."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from tests.workers.kafka.small_broker import VERSIONS, framed, listening, metadata, small_broker
from webapp.networks.guard import Networks
from workers.kafka.diagnosis import Diagnosis, diagnose, leader_of
from workers.kafka.security import Address, Security

HERE = Networks.of(["loopback"])
# Without Fetch and its companions: the steps before the rights are what counts here.
FEW = {key: VERSIONS[key] for key in (0, 1, 3, 18)}


def tried(*bootstrap: str, networks: Networks = HERE, **fields: str) -> Diagnosis:
    heard: list[Diagnosis] = []
    outcome = diagnose(Address(bootstrap, Security(**fields)), networks, heard.append, 1.0)  # type: ignore[arg-type]
    assert heard[-1] == outcome
    assert not any(each.is_fine for each in heard[:-1])
    json.dumps(asdict(outcome))
    return outcome


def states(outcome: Diagnosis, place: int = 0) -> dict[str, str]:
    return {step.id: step.state for step in outcome.places[place].steps}


def test_a_name_that_does_not_resolve():
    outcome = tried("no-such-host.invalid:9092")
    assert states(outcome) == {
        "name": "failed",
        "port": "not-tried",
        "versions": "not-tried",
        "topics": "not-tried",
    }
    assert outcome.sentence.startswith("The name no-such-host.invalid does not resolve.")
    assert not outcome.is_fine


def test_an_address_off_limits():
    outcome = tried("169.254.169.254:80")
    assert states(outcome)["name"] == "failed"
    assert "is not allowed" in outcome.sentence


def test_a_port_that_does_not_open():
    outcome = tried("127.0.0.1:1")
    assert states(outcome) == {
        "name": "works",
        "port": "failed",
        "versions": "not-tried",
        "topics": "not-tried",
    }


def test_a_port_without_tls():
    with small_broker(lambda *_: None) as broker:
        outcome = tried(
            broker.address, protocol="SASL_SSL", mechanism="PLAIN", username="me", password="s3cret"
        )
    assert states(outcome) == {
        "name": "works",
        "port": "works",
        "tls": "failed",
        "versions": "not-tried",
        "sign-in": "not-tried",
        "topics": "not-tried",
    }
    assert "s3cret" not in json.dumps(asdict(outcome))


def test_a_port_that_is_no_broker_s():
    with listening(lambda connection: connection.sendall(b"HTTP/1.1 400 no\r\n\r\n")) as port:
        outcome = tried(f"127.0.0.1:{port}")
    assert states(outcome)["versions"] == "failed"
    assert "speaks HTTP" in outcome.sentence


def test_a_broker_that_hangs_up_at_the_topics():
    with small_broker(lambda *_: None) as broker:
        outcome = tried(broker.address)
    assert states(outcome) == {"name": "works", "port": "works", "versions": "works", "topics": "failed"}
    assert outcome.places[0].release == "2.8 to 3.0"


@pytest.mark.parametrize("is_alive", [True, False], ids=["reachable", "unreachable"])
def test_every_advertised_broker_is_tried_too(is_alive):
    def second(broker, key, version, id):
        return framed(metadata(version, {2: ("127.0.0.1", broker.port)}), key, version, id)

    with small_broker(second, FEW) as other:
        place = ("127.0.0.1", other.port if is_alive else 1)

        def first(broker, key, version, id):
            brokers = {1: ("127.0.0.1", broker.port), 2: place}
            return framed(metadata(version, brokers), key, version, id)

        with small_broker(first, FEW) as broker:
            outcome = tried(broker.address)
    here, there = outcome.places
    assert (here.how, here.node, there.how, there.node) == ("bootstrap", 1, "advertised", 2)
    assert outcome.is_fine is is_alive
    assert states(outcome, 1)["port"] == ("works" if is_alive else "failed")
    assert states(outcome)["right-to-transactions"] == "limited"


def test_an_advertised_address_off_limits_is_not_gone_to():
    def luring(broker, key, version, id):
        return framed(metadata(version, {1: ("169.254.169.254", 80)}), key, version, id)

    with small_broker(luring, FEW) as broker:
        outcome = tried(broker.address)
    assert states(outcome, 1)["name"] == "failed"
    assert "169.254.169.254" in outcome.sentence


def test_a_broker_behind_another_name_has_no_rights_tried():
    """Who answers behind a balancer is not known, and partitions are read from their leader only."""

    def elsewhere(broker, key, version, id):
        return framed(metadata(version, {1: ("localhost", broker.port)}), key, version, id)

    with small_broker(elsewhere, FEW) as broker:
        outcome = tried(broker.address)
    assert [place.node for place in outcome.places] == [None, 1]
    assert "right-to-read" not in states(outcome)
    assert "right-to-read" in states(outcome, 1)


def test_a_journal_is_read_rather_than_another_topic():
    answer = metadata(9, {1: ("broker", 9092)}, ("aardvark", "_schemas"))
    assert leader_of(answer, 1).topic == "_schemas"
    assert leader_of(answer, 2).topic is None
