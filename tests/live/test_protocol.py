"""What brokers of four ages answer to our questions, and how each way in fails when something is wrong with it."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from kafka.protocol.admin import DescribeConfigsRequest, DescribeProducersRequest, ListTransactionsRequest
from kafka.protocol.consumer import FetchRequest

from tests.live.brokers import Broker, Driver
from tests.live.certificates import Authority
from tests.live.secured import PASSWORD, STRANGER, TOKEN_SUBJECT, USER, Doors
from webapp.networks.guard import Networks
from workers.kafka.cluster import KafkaCluster
from workers.kafka.diagnosis import Diagnosis, diagnose
from workers.kafka.errors import KafkaError, NotAllowed, NotSignedIn, NotSpoken, NotTrusted, Unreachable
from workers.kafka.releases import release_of
from workers.kafka.security import Address, Security
from workers.kafka.topics import topics_of

pytestmark = pytest.mark.live

HERE = Networks.of(["loopback"])
NEWEST, TODAY, OLD, OLDEST = "4.1.1", "3.9.1", "2.8.2", "0.10.2.2"
RELEASES = {NEWEST: "4.1 or newer", TODAY: "3.9", OLD: "2.8 to 3.0", OLDEST: "0.10.1 to 0.10.2"}


@dataclass
class Secured:
    """A broker of today with all its doors, a topic `_schemas` with one record, and a user who may read it."""

    broker: Broker
    doors: Doors
    drive: Driver

    def cluster(self, listener: str, security: Security) -> KafkaCluster:
        """Our client at one of the doors."""
        return KafkaCluster(Address((self.broker.address_of(listener),), security), HERE)

    def trusting(self, **fields: object) -> Security:
        """With the broker's own authority."""
        return Security(ca_pem=self.doors.authority.pem, **fields)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    doors = Doors.made()
    with (
        doors.broker(TODAY, tmp_path_factory.mktemp("secured")) as broker,
        Driver(broker.address, TODAY) as drive,
    ):
        for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
            drive("scram", USER, mechanism, PASSWORD)
        drive("topic", "_schemas", 1, 1, "cleanup.policy=compact")
        drive("topic", "payroll", 1, 1)
        for operation in ("DESCRIBE", "READ", "DESCRIBE_CONFIGS"):
            drive("allow", USER, operation, "TOPIC", "_schemas")
        drive("producer", "one")
        drive("send", "one", "_schemas", 0, "key", "value")
        drive("flush", "one")
        yield Secured(broker, doors, drive)


@pytest.fixture(scope="module", params=RELEASES)
def plain(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker without a lock, of each age, with a journal and another topic."""
    with (
        Broker(request.param, tmp_path_factory.mktemp("plain")) as broker,
        Driver(broker.address, TODAY) as drive,
    ):
        drive("topic", "aardvark", 1, 1)
        drive("topic", "kafkasql-journal", 2, 1, "cleanup.policy=compact")
        drive("producer", "one", "enable.idempotence=false")
        for value in ("a", "b", "c"):
            drive("send", "one", "kafkasql-journal", 1, "key", value)
        drive("flush", "one")
        yield broker


def fetched(cluster: KafkaCluster, topic: str, partition: int) -> bytes:
    """The records of a partition, as bytes."""
    found = cluster.metadata([topic]).topics[0]
    leader = next(each.leader_id for each in found.partitions if each.partition_index == partition)
    wanted = FetchRequest.FetchTopic(
        topic=topic,
        topic_id=found.topic_id,
        partitions=[
            FetchRequest.FetchTopic.FetchPartition(
                partition=partition, fetch_offset=0, partition_max_bytes=1 << 20
            )
        ],
    )
    answer = cluster.ask(FetchRequest, leader, max_wait_ms=200, min_bytes=1, topics=[wanted])
    return bytes(answer.responses[0].partitions[0].records)


def test_records_come_as_the_broker_keeps_them(plain):
    kept = (plain.data / "kafkasql-journal-1" / f"{0:020}.log").read_bytes()
    with KafkaCluster(Address((plain.address,)), HERE) as cluster:
        assert fetched(cluster, "kafkasql-journal", 1) == kept
    assert kept


def test_a_broker_s_age_is_told_from_what_it_speaks(plain):
    with KafkaCluster(Address((plain.address,)), HERE) as cluster:
        assert release_of(cluster.versions(None)) == RELEASES[plain.version]
        if plain.version == OLDEST:
            with pytest.raises(NotSpoken, match=r"0\.10\.1 to 0\.10\.2.* has no DescribeProducers"):
                cluster.ask(DescribeProducersRequest, topics=[])


def test_asking_for_a_topic_that_is_not_there_creates_none(plain):
    with KafkaCluster(Address((plain.address,)), HERE) as cluster:
        answer = cluster.metadata(["no-such-topic", "aardvark"])
        assert {topic.name: topic.error_code for topic in answer.topics} == {
            "no-such-topic": 3,
            "aardvark": 0,
        }
        time.sleep(0.5)
        assert "no-such-topic" not in {topic.name for topic in cluster.metadata().topics}
    assert not (plain.data / "no-such-topic-0").exists()


def test_topics_come_with_journals_first_and_what_may_be_known_of_them(plain):
    with KafkaCluster(Address((plain.address,)), HERE) as cluster:
        found = topics_of(cluster)
    journal, other = found.topics
    assert (journal.name, journal.journal, other.name) == (
        "kafkasql-journal",
        "Apicurio Registry",
        "aardvark",
    )
    assert (journal.partition_count, journal.replication_factor, journal.offset_count) == (2, 1, 3)
    assert [(each.log_start_offset, each.high_watermark) for each in journal.partitions] == [(0, 0), (0, 3)]
    if plain.version == OLDEST:
        assert (journal.cleanup_policy, journal.size_bytes) == (None, None)
        assert any("DescribeConfigs" in note for note in found.notes)
        assert any("DescribeLogDirs" in note for note in found.notes)
    else:
        size = (plain.data / "kafkasql-journal-1" / f"{0:020}.log").stat().st_size
        assert (journal.cleanup_policy, journal.size_bytes) == ("compact", size)
        assert found.notes == ()
    json.dumps(asdict(found))


def test_a_trial_of_an_open_broker_works_at_every_step(plain):
    heard: list[Diagnosis] = []
    outcome = diagnose(Address((plain.address,)), HERE, heard.append)
    (place,) = outcome.places
    assert outcome.is_fine
    assert (place.node, place.release) == (1, RELEASES[plain.version])
    states = {step.id: step.state for step in place.steps}
    assert [states[step] for step in ("name", "port", "versions", "topics", "right-to-read")] == ["works"] * 5
    newer = {NEWEST: [], TODAY: [], OLD: ["right-to-transactions"]}.get(
        plain.version, ["right-to-configs", "right-to-sizes", "right-to-transactions"]
    )
    assert [step for step, state in states.items() if state == "limited"] == newer
    assert len(heard) > len(place.steps)
    json.dumps(asdict(outcome))


def test_a_broker_that_comes_back_is_asked_again(tmp_path):
    with Broker(TODAY, tmp_path) as broker, KafkaCluster(Address((broker.address,)), HERE) as cluster:
        assert cluster.metadata().cluster_id
        broker.halt()
        with pytest.raises(Unreachable):
            cluster.metadata()
        broker.start()
        assert cluster.metadata().cluster_id


def test_tls_with_an_authority_of_our_own(secured):
    with secured.cluster("TLS", secured.trusting(protocol="SSL")) as cluster:
        assert fetched(cluster, "_schemas", 0)


@pytest.mark.parametrize("passphrase", [None, "open it"], ids=["bare key", "encrypted key"])
def test_a_client_certificate(secured, passphrase):
    client = secured.doors.client
    key = client.key_pem
    if passphrase:
        loaded = serialization.load_pem_private_key(key.encode(), None)
        key = loaded.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(passphrase.encode()),
        ).decode()
    security = secured.trusting(
        protocol="SSL", certificate_pem=client.certificate_pem, key_pem=key, key_password=passphrase
    )
    with secured.cluster("MUTUAL", security) as cluster:
        assert cluster.metadata().cluster_id


TLS_FAILURES = {
    "own authority missing": ("TLS", {"ca_pem": None}, "self-signed or signed by an unknown authority"),
    "another authority": (
        "TLS",
        {"ca_pem": Authority("Somebody").pem},
        "self-signed or signed by an unknown authority",
    ),
    "certificate of another host": ("ELSEWHERE", {}, "is for another name"),
    "client certificate missing": ("MUTUAL", {}, "requires a client certificate that it trusts"),
    "plaintext spoken to a TLS port": ("TLS", {"protocol": "PLAINTEXT"}, "TLS"),
    "TLS spoken to a plaintext port": ("PLAINTEXT", {}, "TLS"),
}


@pytest.mark.parametrize(("listener", "changes", "says"), TLS_FAILURES.values(), ids=TLS_FAILURES.keys())
def test_tls_that_fails_says_why(secured, listener, changes, says):
    security = replace(secured.trusting(protocol="SSL"), **changes)
    with secured.cluster(listener, security) as cluster, pytest.raises((NotTrusted, Unreachable)) as failed:
        cluster.metadata()
    assert says in str(failed.value)
    assert failed.value.cure


def test_a_client_certificate_of_a_stranger_s_authority_is_not_accepted(secured):
    stranger = Authority("Somebody else").sign("stranger")
    security = secured.trusting(
        protocol="SSL", certificate_pem=stranger.certificate_pem, key_pem=stranger.key_pem
    )
    with secured.cluster("MUTUAL", security) as cluster, pytest.raises((NotTrusted, Unreachable)) as failed:
        cluster.metadata()
    assert "requires a client certificate that it trusts" in str(failed.value)


def test_the_name_need_not_match_when_nobody_checks_it(secured):
    security = secured.trusting(protocol="SSL", check_host_name=False)
    with secured.cluster("ELSEWHERE", security) as cluster:
        assert cluster.metadata().cluster_id


def token() -> str:
    """An unsigned token, which this broker takes."""
    claims = {"sub": TOKEN_SUBJECT, "iat": int(time.time()) - 5, "exp": int(time.time()) + 600}
    parts = ({"alg": "none"}, claims)
    return (
        ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
        + "."
    )


@pytest.mark.parametrize(
    ("listener", "protocol", "mechanism"),
    [
        ("SCRAM", "SASL_SSL", "SCRAM-SHA-256"),
        ("SCRAM", "SASL_SSL", "SCRAM-SHA-512"),
        ("SCRAM", "SASL_SSL", "OAUTHBEARER"),
        ("PASSWORD", "SASL_PLAINTEXT", "PLAIN"),
        ("PASSWORD", "SASL_PLAINTEXT", "SCRAM-SHA-256"),
    ],
)
def test_a_user_who_signs_in_reads(secured, listener, protocol, mechanism):
    who = {"token": token()} if mechanism == "OAUTHBEARER" else {"username": USER, "password": PASSWORD}
    security = secured.trusting(protocol=protocol, mechanism=mechanism, **who)
    with secured.cluster(listener, security) as cluster:
        assert fetched(cluster, "_schemas", 0)


SIGN_IN_FAILURES = {
    "wrong password, PLAIN": ("PASSWORD", {"mechanism": "PLAIN", "password": "wrong pass"}, "did not accept user"),
    "wrong password, SCRAM": ("PASSWORD", {"mechanism": "SCRAM-SHA-256", "password": "wrong pass"}, "did not accept"),
    "no such user": ("PASSWORD", {"mechanism": "SCRAM-SHA-256", "username": "nobody"}, "did not accept user nobody"),
    "mechanism not offered": ("PASSWORD", {"mechanism": "SCRAM-SHA-512"}, "it offers: "),
    "bad token": (
        "SCRAM", {"protocol": "SASL_SSL", "mechanism": "OAUTHBEARER", "username": None, "token": "wrong pass"},
        "did not accept the token",
    ),
    "no sign-in wanted": ("PLAINTEXT", {"mechanism": "PLAIN"}, "does not accept a sign-in"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("listener", "changes", "says"), SIGN_IN_FAILURES.values(), ids=SIGN_IN_FAILURES.keys()
)
def test_a_sign_in_that_fails_says_why_and_no_secret(secured, listener, changes, says):
    security = secured.trusting(
        protocol="SASL_PLAINTEXT", username=USER, mechanism="PLAIN", password=PASSWORD
    )
    with (
        secured.cluster(listener, replace(security, **changes)) as cluster,
        pytest.raises(NotSignedIn) as failed,
    ):
        cluster.metadata()
    assert says in str(failed.value)
    for secret in (PASSWORD, "wrong pass"):
        assert secret not in str(failed.value)


def test_a_port_that_wants_a_sign_in_hangs_up_on_who_comes_without(secured):
    with secured.cluster("PASSWORD", Security()) as cluster, pytest.raises(Unreachable, match="sign-in"):
        cluster.metadata()


def test_rights_that_are_missing_are_named(secured):
    security = secured.trusting(
        protocol="SASL_PLAINTEXT", mechanism="PLAIN", username=USER, password=PASSWORD
    )
    outcome = diagnose(Address((secured.broker.address_of("PASSWORD"),), security), HERE, lambda so_far: None)
    steps = {step.id: step for step in outcome.places[0].steps}
    assert outcome.is_fine
    assert steps["right-to-read"].says.startswith("Topic _schemas can be read")
    assert steps["right-to-configs"].state == steps["right-to-sizes"].state == "limited"
    assert steps["right-to-sizes"].cure == "Give the user Describe and DescribeConfigs on the cluster."
    assert "CLUSTER_AUTHORIZATION_FAILED" in steps["right-to-configs"].says


def test_what_a_user_may_not_see_is_not_listed(secured):
    security = secured.trusting(
        protocol="SASL_PLAINTEXT", mechanism="PLAIN", username=USER, password=PASSWORD
    )
    with secured.cluster("PASSWORD", security) as cluster:
        found = topics_of(cluster)
    assert [(topic.name, topic.cleanup_policy, topic.size_bytes) for topic in found.topics] == [
        ("_schemas", "compact", None)
    ]
    assert "DescribeLogDirs" in found.notes[0]


def test_a_stranger_who_signed_in_may_nothing(secured):
    security = secured.trusting(
        protocol="SASL_PLAINTEXT", mechanism="PLAIN", username=STRANGER, password=PASSWORD
    )
    resource = DescribeConfigsRequest.DescribeConfigsResource
    with secured.cluster("PASSWORD", security) as cluster:
        assert topics_of(cluster).topics == ()
        assert [topic.error_code for topic in cluster.metadata(["_schemas"]).topics] == [29]
        answer = cluster.ask(
            DescribeConfigsRequest,
            resources=[resource(resource_type=2, resource_name="_schemas", configuration_keys=None)],
        )
        assert answer.results[0].error_code == NotAllowed(29, "").code
        assert not cluster.ask(
            ListTransactionsRequest, state_filters=[], producer_id_filters=[]
        ).transaction_states


def test_nothing_in_the_cluster_is_changed_by_looking_at_it(secured):
    before = secured.drive("state")
    address = Address((secured.broker.address,))
    assert diagnose(address, HERE, lambda so_far: None).is_fine
    with KafkaCluster(address, HERE) as cluster:
        topics_of(cluster)
        cluster.metadata(["nothing-here"])
    assert secured.drive("state") == before


def test_a_trial_stops_at_the_step_that_fails(secured):
    security = secured.trusting(
        protocol="SASL_PLAINTEXT", mechanism="PLAIN", username=USER, password="another one"
    )
    outcome = diagnose(Address((secured.broker.address_of("PASSWORD"),), security), HERE, lambda so_far: None)
    (place,) = outcome.places
    assert not outcome.is_fine
    assert [(step.id, step.state) for step in place.steps] == [
        ("name", "works"),
        ("port", "works"),
        ("versions", "works"),
        ("sign-in", "failed"),
        ("topics", "not-tried"),
    ]
    assert "another one" not in json.dumps(asdict(outcome))
    assert outcome.sentence.startswith(place.steps[3].says)


def test_a_sign_in_with_bare_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A broker of 0.10 knows no SaslAuthenticate: tokens travel without a header."""
    jaas = f'org.apache.kafka.common.security.plain.PlainLoginModule required username="x" password="x" user_{USER}="{PASSWORD}";'
    (tmp_path / "jaas.conf").write_text(f"KafkaServer {{ {jaas} }};\n")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", f"-Djava.security.auth.login.config={tmp_path / 'jaas.conf'}")
    broker = Broker(
        OLDEST,
        tmp_path,
        listeners={"SASL_PLAINTEXT": "SASL_PLAINTEXT"},
        sasl__enabled__mechanisms="PLAIN",
    )
    with broker:
        for password, outcome in ((PASSWORD, None), ("wrong pass", NotSignedIn)):
            security = Security("SASL_PLAINTEXT", mechanism="PLAIN", username=USER, password=password)
            with KafkaCluster(Address((broker.address_of("SASL_PLAINTEXT"),), security), HERE) as cluster:
                failure = None
                try:
                    assert cluster.metadata().cluster_id
                except KafkaError as failed:
                    failure = type(failed)
                assert failure is outcome
