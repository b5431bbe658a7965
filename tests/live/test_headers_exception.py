"""A broker with an old format refuses headers; our advice for the live cluster predicts the broker's own words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from spark.advice.compatibility import ClientCompatibility
from spark.advice.live import advise_cluster
from tests.live.brokers import Broker, Driver
from tests.live.captures import captured
from workers.capture import CaptureManifest

pytestmark = pytest.mark.live

EXCEPTION = "java.lang.IllegalArgumentException: Magic v1 does not support record headers"


@dataclass(frozen=True)
class Refused:
    """What the producer was told, what the broker wrote to its log, and what we capture of topic and cluster."""

    answer: str
    broker_log: str
    manifests: dict[str, CaptureManifest]
    ends: dict[str, int]


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Refused]:
    folder = tmp_path_factory.mktemp("headers")
    with Broker("2.8.2", folder / "broker") as broker, Driver(broker.address) as drive:
        drive("topic", "old", 1, 1, "message.format.version=0.10.2")
        drive("topic", "new", 1, 1)
        drive("producer", "plain", "enable.idempotence=false", "retries=0")
        for topic in ("old", "new"):
            drive("send", "plain", topic, 0, "key", "without headers")
            drive("flush", "plain")
        drive("send", "plain", "new", 0, "key", "value", "trace=1")
        drive("flush", "plain")
        drive("send", "plain", "old", 0, "key", "value", "trace=1")
        with pytest.raises(RuntimeError) as answer:
            drive("flush", "plain")
        manifests = {topic: captured(broker, topic, folder / topic) for topic in ("old", "new")}
        ends = {topic: int(drive("end", topic, 0)) for topic in ("old", "new")}
        yield Refused(str(answer.value), broker.log.read_text(errors="replace"), manifests, ends)


def fits_of(manifest: CaptureManifest) -> list[ClientCompatibility]:
    """How clients with headers fare, as advised from what the cluster told."""
    told: dict[str, Any] = manifest.as_json()
    return [fit for fit in advise_cluster(told["brokers"], told["topic"]).fits if "header" in fit.feature]


def test_the_broker_refuses_the_record(refused: Refused) -> None:
    assert EXCEPTION in refused.broker_log
    assert "UnknownServerException" in refused.answer
    assert refused.ends == {"old": 1, "new": 2}


def test_the_advice_predicts_it_in_the_same_words(refused: Refused) -> None:
    failing = [fit for fit in fits_of(refused.manifests["old"]) if fit.outcome == "fails"]
    assert any(EXCEPTION in f"{fit}" for fit in failing), failing


def test_the_advice_predicts_no_failure_where_there_is_none(refused: Refused) -> None:
    assert not any(fit.outcome == "fails" for fit in fits_of(refused.manifests["new"]))
