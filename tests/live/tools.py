"""Kafka's console consumer and dump-log of each age: their classes, the options each has, and the commands as people type them.

| age      | console consumer                               | formatters of Kafka's own topics        | dump-log                      |
|----------|------------------------------------------------|-----------------------------------------|-------------------------------|
| 0.10.2.2 | kafka.tools                                    | kafka.coordinator.GroupMetadataManager$ | no batches, --offsets-decoder |
| 2.8.2    | kafka.tools                                    | kafka.coordinator.group, .transaction   | text of the decoders          |
| 3.9.1    | org.apache.kafka.tools.consumer (KAFKA-14588)  | the old in the broker's jar, text; the new beside the consumer, JSON | JSON of offsets, text of transactions |
| 4.1.1    | org.apache.kafka.tools.consumer                | JSON alone, share groups                | JSON                          |

Source: the jars themselves (`unzip -l`, `--help`), Kafka `ConsoleConsumer`, `DefaultMessageFormatter`, `DumpLogSegments`.
`--skip-batch-metadata` is in none of these ages, MirrorMaker 2 came with 2.4, remote log metadata with 3.6.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.live.jars import classes, command, mirror_jars

DUMP_LOG = "kafka.tools.DumpLogSegments"
OFFSETS, GROUPS, TRANSACTIONS, SHARES, SHARE_GROUPS = (
    "offsets",
    "groups",
    "transactions",
    "shares",
    "share groups",
)
MIRROR = "org.apache.kafka.connect.mirror.formatters."
CONSUMERS = "org.apache.kafka.tools.consumer."
MAX_RUN_SECONDS = 60
LOGGING = Path(__file__).with_name("tools-log4j.properties")
AS_TYPED = (
    "-Dfile.encoding=UTF-8",
    f"-Dlog4j.configuration={LOGGING.as_uri()}",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
)


@dataclass(frozen=True)
class Age:
    """What the tools of a version are called and can do."""

    version: str
    console: str
    columns: tuple[str, ...]  # of `print.*`, beside key and value, in the order that they are printed
    formatters: dict[str, tuple[str, ...]]  # what is printed -> classes
    decoders: dict[str, str]  # topic -> option of dump-log
    has_null_literal: bool = True
    has_skip: bool = True  # --skip-record-metadata
    is_kraft: bool = False
    has_mirror: bool = True
    has_shares: bool = False


OFFSETS_DECODER = {"__consumer_offsets": "--offsets-decoder"}
DECODERS = {**OFFSETS_DECODER, "__transaction_state": "--transaction-log-decoder"}
KRAFT_DECODERS = {
    **DECODERS,
    "__cluster_metadata": "--cluster-metadata-decoder",
    "__remote_log_metadata": "--remote-log-metadata-decoder",
}
COLUMNS = ("timestamp", "partition", "offset", "headers")
AGES = {
    "0.10.2.2": Age(
        "0.10.2.2",
        "kafka.tools.ConsoleConsumer",
        ("timestamp",),
        {
            OFFSETS: ("kafka.coordinator.GroupMetadataManager$OffsetsMessageFormatter",),
            GROUPS: ("kafka.coordinator.GroupMetadataManager$GroupMetadataMessageFormatter",),
        },
        OFFSETS_DECODER,
        has_null_literal=False,
        has_skip=False,
        has_mirror=False,
    ),
    "2.8.2": Age(
        "2.8.2",
        "kafka.tools.ConsoleConsumer",
        COLUMNS,
        {
            OFFSETS: ("kafka.coordinator.group.GroupMetadataManager$OffsetsMessageFormatter",),
            GROUPS: ("kafka.coordinator.group.GroupMetadataManager$GroupMetadataMessageFormatter",),
            TRANSACTIONS: ("kafka.coordinator.transaction.TransactionLog$TransactionLogMessageFormatter",),
        },
        DECODERS,
    ),
    "3.9.1": Age(
        "3.9.1",
        CONSUMERS + "ConsoleConsumer",
        COLUMNS,
        {
            OFFSETS: (
                "kafka.coordinator.group.GroupMetadataManager$OffsetsMessageFormatter",
                CONSUMERS + "OffsetsMessageFormatter",
            ),
            GROUPS: (
                "kafka.coordinator.group.GroupMetadataManager$GroupMetadataMessageFormatter",
                CONSUMERS + "GroupMetadataMessageFormatter",
            ),
            TRANSACTIONS: (
                "kafka.coordinator.transaction.TransactionLog$TransactionLogMessageFormatter",
                CONSUMERS + "TransactionLogMessageFormatter",
            ),
        },
        KRAFT_DECODERS,
        is_kraft=True,
    ),
    "4.1.1": Age(
        "4.1.1",
        CONSUMERS + "ConsoleConsumer",
        (*COLUMNS[:3], "epoch", "headers"),
        {
            OFFSETS: (CONSUMERS + "OffsetsMessageFormatter",),
            GROUPS: (CONSUMERS + "GroupMetadataMessageFormatter",),
            TRANSACTIONS: (CONSUMERS + "TransactionLogMessageFormatter",),
            SHARE_GROUPS: (CONSUMERS + "ShareGroupMessageFormatter",),
            SHARES: (CONSUMERS + "group.share.ShareGroupStateMessageFormatter",),
        },
        {**KRAFT_DECODERS, "__share_group_state": "--share-group-state-decoder"},
        is_kraft=True,
        has_shares=True,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Run:
    """One run of a tool, and the file with what it printed."""

    name: str
    line: str  # as it is typed
    output: Path

    @property
    def text(self) -> str:
        """What it printed."""
        return self.output.read_bytes().decode()


class Tools:
    """The tools of a version, in one process (`Tools.java`)."""

    def __init__(self, version: str, folder: Path) -> None:
        beside = [mirror_jars(version)] if AGES[version].has_mirror else []
        beside.append(classes(version, "Tools"))
        self.folder = folder
        self.said = (folder / "said").open("w+b")
        line = command(version, "Tools", beside=beside, options=AS_TYPED)
        self.process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        self.said.close()

    def __call__(
        self, name: str, script: str, main: str, arguments: Sequence[str], *, is_all: bool = False
    ) -> Run:
        """Run one; its standard output becomes a file. `is_all`: all that a terminal shows, also of one that fails."""
        assert self.process.stdin
        assert self.process.stdout
        output = self.folder / f"{name}.txt"
        line = "\t".join(
            part.replace("\t", r"\t") for part in (str(output), *["2>&1"] * is_all, main, *arguments)
        )
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

        answer = self.process.stdout.readline().decode().strip()
        assert answer == "ok" or (is_all and answer), (
            f"{name}: {answer}, {Path(self.said.name).read_text(errors='replace')[-2000:]}"
        )
        return Run(name, typed(script, arguments), output)


def console(
    age: Age, address: str, topic: str, count: int, properties: dict[str, str], formatter: str = ""
) -> list[str]:
    """Arguments of a console consumer that ends behind the topic's last record; it joins no group."""
    asked = ["--bootstrap-server", address, "--topic", topic, "--partition", "0", "--offset", "earliest"]
    asked += ["--max-messages", str(count), "--consumer-property", "enable.auto.commit=false"]
    asked += ["--formatter", formatter] if formatter else []
    return asked + [part for name, value in properties.items() for part in ("--property", f"{name}={value}")]


def dump_log(files: Iterable[Path], *options: str) -> list[str]:
    """Arguments of a dump-log."""
    return ["--files", ",".join(map(str, files)), *options]


def typed(script: str, arguments: Iterable[str]) -> str:
    """The command as it is typed."""
    quoted = (f"'{part}'" if "$" in part or " " in part or "\t" in part else part for part in arguments)
    return " ".join([f"bin/{script}.sh", *quoted])
