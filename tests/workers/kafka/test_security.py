"""Addresses as people write them, and secrets that stay out of what is printed."""

from __future__ import annotations

import pickle

import pytest

from workers.kafka.errors import BrokerError, KafkaError, NotAllowed, Unreachable, broker_error
from workers.kafka.security import Address, Security
from workers.net.address import host_and_port, written

SECRETS = ("key_pem", "key_password", "password", "token", "client_secret")


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_not_printed(name):
    security = Security(**{name: "s3cret"})
    for text in (repr(security), str(security), repr(Address(("broker:9092",), security))):
        assert "s3cret" not in text


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("broker:9093", ("broker", 9093)),
        (" broker-1.example.org ", ("broker-1.example.org", 9092)),
        ("[::1]:9094", ("::1", 9094)),
        ("10.0.0.1:1", ("10.0.0.1", 1)),
    ],
)
def test_a_bootstrap_server(text, place):
    assert host_and_port(text) == place


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":9092",
        "broker:0",
        "broker:99999",
        "broker:x",
        "me@broker:1",
        "http://broker",
        "broker/x",
        "::1:2:3:",
    ],
)
def test_what_is_no_bootstrap_server(text):
    with pytest.raises(ValueError, match="is not a host and port"):
        Address((text,))


def test_no_bootstrap_server_at_all():
    with pytest.raises(ValueError, match="No bootstrap server"):
        Address(())


def test_an_address_is_written_as_it_is_read():
    assert host_and_port(written("::1", 9)) == ("::1", 9)
    assert written("broker", 9092) == "broker:9092"


@pytest.mark.parametrize(
    "fields", [{"protocol": "TLS"}, {"protocol": "SASL_SSL"}, {"protocol": "SASL_SSL", "mechanism": "GSSAPI"}]
)
def test_what_is_no_way_to_sign_in(fields):
    with pytest.raises(ValueError, match="Use one of"):
        Security(**fields)


@pytest.mark.parametrize(
    ("code", "kind", "name", "cure"),
    [
        (29, NotAllowed, "TOPIC_AUTHORIZATION_FAILED", "Give the user Describe, DescribeConfigs and Read on the topic."),
        (31, NotAllowed, "CLUSTER_AUTHORIZATION_FAILED", "Give the user Describe and DescribeConfigs on the cluster."),
        (6, BrokerError, "NOT_LEADER_FOR_PARTITION", "Try again."),
        (42, BrokerError, "INVALID_REQUEST", "See the broker's log."),
        (9999, BrokerError, "error 9999", "See the broker's log."),
    ],
)  # fmt: skip
def test_an_error_code_in_words(code, kind, name, cure):
    error = broker_error(code, "Fetch of ledger-0")
    assert (type(error), error.code, error.name, error.cure) == (kind, code, name, cure)
    assert error.cause.startswith("Fetch of ledger-0: ")


@pytest.mark.parametrize("error", [Unreachable("cause", "cure"), broker_error(29, "x"), KafkaError("a", "b")])
def test_an_error_travels_between_processes(error):
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.cause, again.cure) == (
        type(error),
        str(error),
        error.cause,
        error.cure,
    )
