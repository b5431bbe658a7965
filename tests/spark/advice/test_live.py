"""Advice for a live cluster: clients, the state of a rolling upgrade, steps in order, the way back."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from spark.advice.live import LiveAdvice, advise_cluster
from spark.terms.marked import plain
from tests.generator.segment import SOME_TIME_MS

# Highest versions of Produce and Fetch as releases tell them; 22 and 24: producer ids and transactions.
APIS: dict[str, dict[str, list[int]]] = {
    "0.10.1 to 0.10.2": {"0": [0, 2], "1": [0, 3]},
    "1.1": {"0": [0, 5], "1": [0, 7], "22": [0, 0], "24": [0, 0]},
    "2.8 to 3.0": {"0": [0, 9], "1": [0, 12], "22": [0, 4], "24": [0, 3]},
    "3.9": {"0": [0, 11], "1": [0, 17], "22": [0, 5], "24": [0, 5]},
    "4.1 or newer": {"0": [3, 13], "1": [4, 18], "22": [0, 5], "24": [0, 5]},
}
HEADERS = "Magic v1 does not support record headers"


def broker(node: int, release: str, **configs: str) -> dict[str, Any]:
    named = {name.replace("_", "."): {"value": value, "source": "static"} for name, value in configs.items()}
    return {"node": node, "release": release, "api_versions": APIS[release], "configs": named}


def topic(version: str | None = None, **configs: str) -> dict[str, Any]:
    named = {name.replace("_", "."): {"value": value, "source": "topic"} for name, value in configs.items()}
    if version:
        named["message.format.version"] = {"value": version, "source": "topic"}
    return {"name": "orders", "configs": named}


def stretch(number: int, magic: int) -> dict[str, Any]:
    return {
        "topic": "orders", "partition": 0, "replica": "", "number": number, "magic": magic,
        "first_offset": 10 * number, "last_offset": 10 * number + 9, "batches": 10,
        "first_timestamp_ms": SOME_TIME_MS, "last_timestamp_ms": SOME_TIME_MS,
        "first_leader_epoch": -1, "last_leader_epoch": -1,
    }  # fmt: skip


def outcomes(found: LiveAdvice) -> dict[str, str]:
    return {fit.feature: fit.outcome for fit in found.fits if fit.client != "Consumers older than 2.1"}


def section(found: LiveAdvice, id: str) -> str:
    lines = (line for one in found.sections if one.id == id for line in [*one.sentences, *one.steps])
    return plain("\n".join(lines))


def test_a_new_cluster_with_an_old_topic_refuses_headers_at_the_broker() -> None:
    cluster = [broker(1, "2.8 to 3.0", inter_broker_protocol_version="2.8-IV1")]
    found = advise_cluster(cluster, topic("0.10.2"))
    (headers,) = [fit for fit in found.fits if fit.feature == "record headers"]
    assert (headers.outcome, headers.raised_by) == ("fails", "broker")
    assert headers.exception == f"java.lang.IllegalArgumentException: {HEADERS}"
    assert "UNKNOWN_SERVER_ERROR" in headers.why
    assert outcomes(found)["idempotence"] == outcomes(found)["transactions"] == "fails"
    assert outcomes(found)["reading"] == "works"
    assert found.state.stage == "format"
    assert "0.10.2 on broker 1" in found.state.sentence
    assert plain(found.sentence).startswith(
        "orders has message format 1: producers fail with record headers, idempotence, transactions and compression.type=zstd."
    )


def test_an_old_cluster_fails_them_in_the_client() -> None:
    found = advise_cluster([broker(1, "0.10.1 to 0.10.2")], topic())
    (headers,) = [fit for fit in found.fits if fit.feature == "record headers"]
    assert (headers.raised_by, headers.exception) == (
        "client",
        f"java.lang.IllegalArgumentException: {HEADERS}",
    )
    (zstd,) = [fit for fit in found.fits if fit.feature == "compression.type=zstd"]
    assert (
        zstd.exception
        == "java.lang.IllegalArgumentException: ZStandard compression is not supported for magic 1"
    )
    assert "software or inter.broker.protocol.version is below 0.11" in str([fit.why for fit in found.fits])
    assert "First upgrade to 0.11 or later" in section(found, "order")


def test_format_2_takes_everything_and_costs_old_consumers() -> None:
    found = advise_cluster([broker(1, "3.9", inter_broker_protocol_version="3.9")], topic())
    assert set(outcomes(found).values()) == {"works", "costs"}
    assert plain(found.sentence).startswith("orders has message format 2: no producer fails.")
    assert outcomes(found)["reading"] == "costs"
    assert found.state.stage == "done"


def test_without_conversion_old_consumers_are_refused() -> None:
    cluster = [broker(1, "3.9", inter_broker_protocol_version="3.9")]
    found = advise_cluster(cluster, topic(message_downconversion_enable="false"))
    assert outcomes(found)["reading"] == "fails"


def test_brokers_of_4_0_have_dropped_old_clients() -> None:
    found = advise_cluster([broker(1, "4.1 or newer")], topic())
    assert outcomes(found)["reading"] == outcomes(found)["records without headers"] == "fails"
    assert outcomes(found)["record headers"] == "works"
    assert "cannot be lowered" in section(found, "downgrade")


def test_several_releases_are_an_upgrade_of_the_software() -> None:
    cluster = [
        broker(1, "3.9", inter_broker_protocol_version="1.1"),
        broker(2, "1.1", inter_broker_protocol_version="1.1"),
    ]
    found = advise_cluster(cluster, topic())
    assert found.state.stage == "software"
    assert "3.9 on broker 1, 1.1 on broker 2" in found.state.sentence
    first, second = found.sections[-2].steps[:2]
    assert first.startswith("Upgrade the software of broker 2 (1.1)")
    assert second.startswith(
        "Warning: after this step, the software cannot be downgraded. Raise inter.broker"
    )
    assert outcomes(found)["compression.type=zstd"] == "fails"  # broker 2 may lead


@pytest.mark.parametrize(
    ("protocols", "stage", "said"),
    [
        (("2.4", "2.4"), "protocol", "is still 2.4"),
        (("2.4", "2.8"), "protocol", "2.4 on broker 1, 2.8 on broker 2"),
        (("2.8-IV1", "2.8-IV1"), "done", "No upgrade is in progress"),
        (("3.0", "3.0"), "done", "No upgrade is in progress"),
    ],
)
def test_the_protocol_is_the_second_stage(protocols: tuple[str, str], stage: str, said: str) -> None:
    cluster = [
        broker(number, "2.8 to 3.0", inter_broker_protocol_version=protocol)
        for number, protocol in enumerate(protocols, 1)
    ]
    found = advise_cluster(cluster, topic())
    assert found.state.stage == stage
    assert said in found.state.sentence
    assert ("Raise inter.broker.protocol.version" in section(found, "order")) == (stage == "protocol")


def test_a_broker_left_behind_brings_the_old_format_back() -> None:
    cluster = [
        broker(1, "1.1", inter_broker_protocol_version="1.1", log_message_format_version="1.1"),
        broker(2, "1.1", inter_broker_protocol_version="1.1", log_message_format_version="0.10.2"),
    ]
    found = advise_cluster(cluster, topic(), [stretch(0, 2), stretch(1, 1), stretch(2, 2)])
    assert found.state.stage == "format"
    assert "format 2 on broker 1, format 1 on broker 2" in section(found, "upgrade-state")
    assert "KAFKA-7601" in section(found, "upgrade-state")
    assert "switched to an older format 1 time" in section(found, "disk")
    assert "Remove log.message.format.version from every broker" in section(found, "order")
    assert outcomes(found)["record headers"] == "fails"
    assert [log.topic for log in found.logs] == ["orders"]


def test_a_format_that_a_newer_protocol_ignores_is_only_to_be_removed() -> None:
    cluster = [broker(1, "3.9", inter_broker_protocol_version="3.9")]
    found = advise_cluster(cluster, topic("0.10.2"))
    assert found.state.stage == "done"
    assert outcomes(found)["record headers"] == "works"
    assert "Remove message.format.version from the topic" in section(found, "order")


def test_settings_newer_than_the_last_batch_are_said() -> None:
    cluster = [broker(1, "3.9", inter_broker_protocol_version="3.9")]
    found = advise_cluster(cluster, topic(), [stretch(0, 1)])
    assert "newer than the last batch" in section(found, "disk")


def test_without_settings_the_newest_batches_tell_what_is_written() -> None:
    unknown = {"node": 1, "release": "unknown release", "api_versions": {}, "configs": {}}
    found = advise_cluster([unknown], topic(), [stretch(0, 1)])
    assert outcomes(found)["record headers"] == "fails"
    assert plain(found.sentence).startswith("orders has message format 1")
    assert "an unknown message format" in advise_cluster([unknown], topic()).sentence


def test_going_back_names_what_would_go_wrong() -> None:
    found = advise_cluster([broker(1, "1.1", inter_broker_protocol_version="1.1")], topic())
    assert "KAFKA-7601" in section(found, "downgrade")
    assert "2.2.1 or later" in section(found, "downgrade")


def test_it_is_json_for_a_page() -> None:
    found = advise_cluster([broker(1, "3.9")], topic(), [stretch(0, 1)])
    document = json.loads(json.dumps(found.document()))
    assert document["brokers"][0]["writes"] == 2
    assert document["fits"][1]["feature"] == "record headers"
    assert document["logs"][0]["sections"]


def test_without_a_broker_there_is_nothing_to_say() -> None:
    with pytest.raises(ValueError, match="No broker is known"):
        advise_cluster([], topic())


def test_it_loads_neither_spark_nor_arrow() -> None:
    code = "import sys, spark.advice.live; print([m for m in ('pyspark', 'pyarrow', 'numpy') if m in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"
