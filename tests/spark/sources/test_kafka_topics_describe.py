"""Settings and replicas from the output of kafka-topics --describe."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources._wrapping import unwrap
from tests.spark.sources.export_samples import SAMPLES
from tests.spark.sources.prints import saved
from tests.spark.sources.prints_of_tools import PRINTS, TOPICS, recognised, rows

LAYOUT = "kafka-topics-describe"


def settings(text: str, folder: Path) -> dict[tuple[int, str], str]:
    tables, _ = rows(LAYOUT, text, folder)
    assert {row["topic"] for row in tables["properties"]} == {"orders"}
    return {(row["partition"], row["name"]): row["value"] for row in tables["properties"]}


def test_settings_and_replicas_of_the_first_age_are_read(tmp_path: Path) -> None:
    found = settings(TOPICS["0.8"], tmp_path)
    assert found[0, "cleanup.policy"] == "compact"
    assert found[0, "min.compaction.lag.ms"] == "60000"
    assert (found[0, "replicas"], found[0, "isr"], found[1, "leader"]) == ("1,2,3", "1,2", "-1")


def test_a_value_may_hold_a_comma(tmp_path: Path) -> None:
    found = settings(TOPICS["4.1"], tmp_path)
    assert found[0, "cleanup.policy"] == "compact,delete"
    assert found[0, "message.format.version"] == "2.8-IV1"
    assert found[0, "topic_id"] == "MqaC0ZlYQPKFgPeBTMs6HA"


def test_tabs_may_have_become_spaces(tmp_path: Path) -> None:
    found = settings(TOPICS["tabs as spaces"], tmp_path)
    assert (found[0, "cleanup.policy"], found[0, "leader"]) == ("compact", "1")


BROKEN = (
    "    Topic: orders\tPartitionCount: 50\tReplicationFactor: 3\n"
    "    Configs: compression.type=producer,cleanup.policy=compact,delete,flush.ms=1000,\n"
    "    segment.bytes=104857600,retention.bytes=1073741824\n"
    "        Topic: orders\tPartition: 0\tLeader: none\tReplicas: 1002,1003,1001\tIsr: 1003\n"
    "        Topic: orders\tPartition: 3\tLeader: none\tReplicas: 1002,1001,1003\tIsr: 1003\n"
)


@pytest.mark.parametrize("around", ["%s", "OPS-7: consumers stall\n%s", "$ kafka-topics.sh --describe\n%s"])
def test_what_stands_before_a_broken_print_takes_none_of_its_lines(around: str, tmp_path: Path) -> None:
    text = around % BROKEN + "That is all.\n"
    (pasted,) = unwrap(saved(text.encode(), tmp_path), 0, tmp_path / "prints").prints
    printed = Path(pasted.file.path).read_text()
    assert settings(printed, tmp_path) == settings(BROKEN, tmp_path)
    assert around == "%s" or "That is all." not in printed


def test_a_first_line_that_was_broken_before_and_between_its_settings_is_read(tmp_path: Path) -> None:
    text = BROKEN
    found = settings(text, tmp_path)
    assert (found[0, "cleanup.policy"], found[0, "flush.ms"]) == ("compact,delete", "1000")
    assert (found[0, "retention.bytes"], found[3, "isr"]) == ("1073741824", "1003")
    _, note = rows(LAYOUT, text, tmp_path)
    assert note == (
        "2 partitions of orders, and its settings compression.type=producer, cleanup.policy=compact,delete, flush.ms=1000, "
        "segment.bytes=104857600 and retention.bytes=1073741824."
    )


def test_a_shortened_print_names_its_topic_once(tmp_path: Path) -> None:
    text = (
        "Topic: orders\tReplicationFactor: 1\tConfigs: min.insync.replicas=1\n"
        "\tPartition: 0\tLeader: none\tReplicas: 3\tIsr: \tElr: 3\tLastKnownElr: 3\n"
    )
    found = settings(text, tmp_path)
    assert found[0, "min.insync.replicas"] == "1"
    assert (found[0, "leader"], found[0, "replicas"]) == ("none", "3")
    assert (0, "isr") not in found


def test_a_topic_without_settings_of_its_own_tells_no_policy(tmp_path: Path) -> None:
    assert (0, "cleanup.policy") not in settings(TOPICS["no configs"], tmp_path)


@pytest.mark.parametrize("layout", PRINTS)
def test_every_print_is_recognised_as_itself_alone(layout: str, tmp_path: Path) -> None:
    for text in PRINTS[layout]:
        assert recognised(text, tmp_path) == [layout]
        assert recognised("$ kafka-x.sh --describe\n" + text.replace("\n", "\r\n"), tmp_path) == [layout]


@pytest.mark.parametrize("name", SAMPLES)
def test_no_export_of_records_is_taken_for_a_print(name: str, tmp_path: Path) -> None:
    assert recognised(SAMPLES[name][1](), tmp_path) == []


def test_a_dump_whose_values_quote_a_print_stays_a_dump(tmp_path: Path) -> None:
    texts = [text for each in PRINTS.values() for text in each]
    for text in texts:
        quoted = "".join(f"CreateTime:{n}\tk\t{line}\n" for n, line in enumerate(text.splitlines()))
        assert recognised(quoted, tmp_path) == []
        assert recognised('{"topic":"t","payload":' + repr(text) + "}\n", tmp_path) == []
