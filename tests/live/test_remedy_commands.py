"""Every command of a remedy is one that the tool of a real broker understands, with all that it needs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark.detectors import detectors
from spark.units.pages import page
from tests.generator.segment import segment_name
from tests.live.brokers import Broker
from tests.live.repairs import Cluster, Record
from tests.live.tools import DUMP_LOG, Tools
from tests.spark.examples.page import cases
from tests.spark.examples.run import inspected

pytestmark = pytest.mark.live

VERSION = "4.1.1"
ROOT = Path(__file__).resolve().parents[2]
OF_TOOLS = "org.apache.kafka.tools."
MAINS = {
    "kafka-broker-api-versions.sh": OF_TOOLS + "BrokerApiVersionsCommand",
    "kafka-cluster.sh": OF_TOOLS + "ClusterTool",
    "kafka-configs.sh": "kafka.admin.ConfigCommand",
    "kafka-console-consumer.sh": OF_TOOLS + "consumer.ConsoleConsumer",
    "kafka-consumer-groups.sh": OF_TOOLS + "consumer.group.ConsumerGroupCommand",
    "kafka-delete-records.sh": OF_TOOLS + "DeleteRecordsCommand",
    "kafka-dump-log.sh": DUMP_LOG,
    "kafka-features.sh": OF_TOOLS + "FeatureCommand",
    "kafka-get-offsets.sh": OF_TOOLS + "GetOffsetShell",
    "kafka-leader-election.sh": OF_TOOLS + "LeaderElectionCommand",
    "kafka-log-dirs.sh": OF_TOOLS + "LogDirsCommand",
    "kafka-metadata-quorum.sh": OF_TOOLS + "MetadataQuorumCommand",
    "kafka-reassign-partitions.sh": OF_TOOLS + "reassign.ReassignPartitionsCommand",
    "kafka-share-groups.sh": OF_TOOLS + "consumer.group.ShareGroupCommand",
    "kafka-topics.sh": OF_TOOLS + "TopicCommand",
    "kafka-transactions.sh": OF_TOOLS + "TransactionsCommand",
}
FILES = {"kafka-delete-records.sh": '"offset":0', "kafka-reassign-partitions.sh": '"replicas":[1]'}
COMMAND = re.compile(r"`(kafka-[a-z-]+\.sh [^`]+)`")
OLD_SETTINGS = ("message.format.version",)  # of brokers before 4.0; nothing is left to delete here
# What a tool says that understood the command and found nothing to do it with: no such group, transaction or file.
NOTHING_THERE = (
    "GroupIdNotFoundException", "does not exist", "Could not find", "could not be found", "Could not match", "TransactionalIdNotFoundException", "No such file",
    "NoSuchFileException", "TimeoutException", "BrokerIdNotRegisteredException",
    "UnknownTopicOrPartitionException", "UnsupportedVersionException", "PolicyViolationException",
    "--reset-offsets option is not yet implemented",  # of share groups, before 4.2
    "Invalid config(s): " + ",".join(OLD_SETTINGS),
)  # fmt: skip
NOT_UNDERSTOOD = (
    "recognized option", "issing required", "nrecognized", "required argument", "usage:", "Usage:", "joptsimple", "ArgumentParserException",
)  # fmt: skip


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with Broker(VERSION, tmp_path_factory.mktemp("broker")) as broker, Cluster(broker) as cluster:
        for topic in ("orders", "_schemas", "kafkasql-journal"):
            cluster.topic(topic)
            cluster.produce(topic, [Record(b"k", b"v")])
        yield broker


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Those of all findings of the detectors' examples, in the order of their steps, and those for readers of a journal that no
    example shows; each once."""
    known = [
        command
        for remedy in page("detectors", "unreadable-entry").remedies.values()
        for step in remedy.steps
        for command in COMMAND.findall(step.text)
    ]
    with pytest.MonkeyPatch.context() as patch:
        for id in detectors():
            for case in cases((ROOT / f"docs/detectors/{id}.md").read_text()):
                report = (
                    inspected(case, id, tmp_path_factory.mktemp("example"), patch) if case.expected else {}
                )
                for finding in report.get("findings", []):
                    known += COMMAND.findall(finding["remedy"])
    return list(dict.fromkeys(known))


def filled(command: str, broker: Broker, folder: Path) -> list[str]:
    """The command with what it leaves to its reader filled in."""
    segment, metadata = (
        str(folder / name / segment_name(0)) for name in ("orders-0", "__cluster_metadata-0")
    )
    values = {
        "BROKER:9092": broker.address, "BROKER_ID": "1", "GROUP": "billing", "TOPIC": "orders", "OFFSET": "0", "SEGMENT": segment,
        "FILE": metadata, "PARTITION": "0", "TOPIC:PARTITION": "orders:0", "NEW_GROUP": "fresh", "TIME": "2024-06-01T12:00:00.000",
    }  # fmt: skip
    name, *words = shlex.split(command)
    if name in FILES:
        values["FILE"] = str(folder / f"{name}.json")
        Path(values["FILE"]).write_text(
            f'{{"version":1,"partitions":[{{"topic":"orders","partition":0,{FILES[name]}}}]}}'
        )
    patience = ["--timeout-ms", "5000"] if name == "kafka-console-consumer.sh" else []  # no record is there
    return [name, *(values.get(word, word) for word in words), *patience]


def test_there_are_commands_of_most_tools(commands: list[str]) -> None:
    assert len(commands) >= 15
    assert {command.split()[0] for command in commands} >= {
        "kafka-configs.sh",
        "kafka-transactions.sh",
        "kafka-consumer-groups.sh",
    }


def test_each_command_is_understood_as_it_is_written(
    commands: list[str], broker: Broker, tmp_path: Path
) -> None:
    wrong = {}
    with Tools(VERSION, tmp_path) as tools:
        for number, command in enumerate(commands):
            script, *arguments = filled(command, broker, broker.data)
            text = tools(str(number), script, MAINS[script], arguments, is_all=True).text
            said, *_ = text.split("Tools$Ended: exit 0")  # behind it: where a tool that succeeded exits
            is_failed = "Exception" in said or "Error" in said
            if any(words in said for words in NOT_UNDERSTOOD) or (
                is_failed and not any(words in said for words in NOTHING_THERE)
            ):
                wrong[command] = said[:600]
    assert wrong == {}, "\n".join(map(str, wrong.items()))
