"""All that we ask of a cluster leaves it as it was: no group, no offset, no producer, no topic, no byte of a log."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.brokers import Broker, Driver, is_kraft
from tests.live.captures import LOOPBACK, captured, cluster_of
from workers.capture import CaptureSpec, estimate
from workers.kafka.diagnosis import diagnose
from workers.kafka.topics import topics_of

pytestmark = pytest.mark.live

VERSIONS = ("4.1.1", "3.9.1")
# A controller that has nothing to do writes that down twice a second.
NO_IDLE_RECORDS = {"metadata.max.idle.interval.ms": 0}


@pytest.fixture(params=VERSIONS)
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Broker]:
    settings = NO_IDLE_RECORDS if is_kraft(request.param) else {}
    with Broker(request.param, tmp_path / "broker", **settings) as broker:
        yield broker


def logs_of(broker: Broker) -> dict[str, str]:
    """Every log of the broker, the cluster's metadata included, by its checksum."""
    return {
        str(path.relative_to(broker.data)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in broker.data.rglob("*.log")
    }


def test_a_cluster_is_as_it_was(broker: Broker, tmp_path: Path) -> None:
    with Driver(broker.address) as drive:
        drive("topic", "ledger", 3, 1)
        drive("producer", "one", "transactional.id=one")
        drive("begin", "one")
        for partition in range(3):
            drive("fill", "one", "ledger", partition, 0, 100, "value ")
        drive("commit", "one")
        drive.until_end("ledger", 2, 101)
        drive("commit-offset", "readers", "ledger", 0, 7)
        state, logs = drive("state"), logs_of(broker)
        assert "group readers" in state
        assert "transactional id one" in state
        everything_we_ask(broker, tmp_path)
        assert drive("state") == state
        assert logs_of(broker) == logs


def everything_we_ask(broker: Broker, folder: Path) -> None:
    """A trial, the list of topics, an estimate, captures of a topic that is there and of one that is not."""
    with cluster_of(broker) as cluster:
        outcome = diagnose(cluster.address, LOOPBACK, lambda told: None)
        assert outcome.is_fine, outcome.sentence
        assert any(topic.name == "ledger" for topic in topics_of(cluster).topics)
        estimate(cluster, CaptureSpec("ledger"))
    for topic in ("ledger", "__consumer_offsets", "__transaction_state"):
        assert captured(broker, topic, folder / topic).size_bytes
    with pytest.raises(Exception, match="no-such-topic"):
        captured(broker, "no-such-topic", folder / "none")
