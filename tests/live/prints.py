"""What the tools of one age print of one broker: every form of it, as files, beside the broker's own logs.

The console consumer prints while the broker runs; dump-log prints of a copy of the logs, of most after the broker has
ended in good order (with its snapshots, indexes cut to their size), of some while it runs.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

from tests.live import tools
from tests.live.brokers import Broker, Driver
from tests.live.tools import AGES, DUMP_LOG, Age, Run, Tools
from tests.live.written import TOPICS, settings, write

SEPARATORS = {"dash": " - ", "colon": ":", "bar": "|"}
OF_FORMATTERS = {
    tools.OFFSETS: "__consumer_offsets",
    tools.GROUPS: "__consumer_offsets",
    tools.SHARE_GROUPS: "__consumer_offsets",
    tools.TRANSACTIONS: "__transaction_state",
    tools.SHARES: "__share_group_state",
}
MIRROR_TOPICS = {
    "OffsetSyncFormatter": "mm2-offset-syncs.target.internal",
    "CheckpointFormatter": "source.checkpoints.internal",
    "HeartbeatFormatter": "heartbeats",
}
INDEXES = (".index", ".timeindex", ".txnindex", ".snapshot")


@dataclass(frozen=True)
class Asked:
    """One run to be made. `columns`: of a console consumer with the default formatter."""

    name: str
    topic: str
    main: str
    arguments: list[str]
    columns: tuple[str, ...] | None = None
    separator: str = "\t"
    null: str = "null"
    count: int = 0  # records that the console consumer took
    is_all: bool = False  # with what the tool says on standard error


@dataclass(frozen=True)
class Print:
    """What came out of it."""

    asked: Asked
    run: Run
    folder: Path  # the partition's log


@dataclass
class Prints:
    """All prints of an age, by name; `logs`: the broker's folder when it had ended."""

    age: Age
    logs: Path
    made: dict[str, Print] = field(default_factory=dict)

    def of(self, start: str) -> Iterator[Print]:
        """Those whose names begin so."""
        return (one for name, one in self.made.items() if name.startswith(start))


def printed(version: str, folder: Path) -> Prints:
    """Start a broker, write to it, let its tools print."""
    age = AGES[version]
    out = folder / "prints"
    out.mkdir(parents=True)
    found = Prints(age, folder / "logs")
    with Tools(version, out) as use:
        with (
            Broker(version, folder / "broker", **settings(version)) as broker,
            Driver(broker.address) as drive,
        ):
            write(broker, drive)
            found.made |= runs(use, console_runs(age, broker, drive), found.logs)
            shutil.copytree(broker.data, folder / "running")
        shutil.copytree(broker.data, found.logs)
        found.made |= runs(use, dump_runs(age, found.logs), found.logs)
        found.made |= runs(use, check_runs(folder / "running", "running"), folder / "running")
    return found


def runs(use: Tools, asked: Iterable[Asked], logs: Path) -> dict[str, Print]:
    """Run them one after the other."""
    found = {}
    for one in asked:
        script = "kafka-dump-log" if one.main == DUMP_LOG else "kafka-console-consumer"
        run = use(one.name, script, one.main, one.arguments, is_all=one.is_all)
        found[one.name] = Print(one, run, logs / f"{one.topic}-0")
    return found


def console_runs(age: Age, broker: Broker, drive: Driver) -> list[Asked]:
    """All forms of the console consumer."""

    counts = {topic: int(drive("count", topic, 0)) for topic in topics_of(age)}

    def ask(name: str, topic: str, properties: dict[str, str], formatter: str = "", **more: object) -> Asked:
        arguments = tools.console(age, broker.address, topic, counts[topic], properties, formatter)
        return Asked(f"console {name}", topic, age.console, arguments, count=counts[topic], **more)  # type: ignore[arg-type]

    return [*plain_runs(age, ask), *formatter_runs(age, ask)]


def topics_of(age: Age) -> list[str]:
    """What the console consumer prints."""
    internal = {OF_FORMATTERS[kind] for kind in age.formatters}
    return [*TOPICS, *sorted(internal), *(MIRROR_TOPICS.values() if age.has_mirror else [])]


Ask = Callable[..., Asked]


def plain_runs(age: Age, ask: Ask) -> Iterator[Asked]:
    """The default formatter: values alone, keys alone, all columns in all combinations, separators, null literals."""
    yield ask("values", "ledger", {}, columns=())
    for topic in TOPICS:
        yield ask(f"keys {topic}", topic, {"print.key": "true"}, columns=("key",))
        yield ask(f"all {topic}", topic, shown((*age.columns, "key")), columns=(*age.columns, "key"))
    for size in range(1, len(age.columns) + 1):
        for some in combinations(age.columns, size):
            columns = (*some, "key")
            yield ask(f"columns {' '.join(some)}", "awkward", shown(columns), columns=columns)
    yield ask("shown values", "ledger", {}, columns=(), is_all=True)
    yield ask("shown keys", "ledger", shown(("key",)), columns=("key",), is_all=True)
    yield ask(
        "shown columns", "awkward", shown(("timestamp", "key")), columns=("timestamp", "key"), is_all=True
    )
    for name, mark in SEPARATORS.items():
        more = {"columns": ("key",), "separator": mark}
        yield ask(f"separator {name}", "ledger", {"print.key": "true", "key.separator": mark}, **more)
    if age.has_null_literal:
        literal = {"print.key": "true", "null.literal": "NIL"}
        yield ask("literal keys", "awkward", literal, columns=("key",), null="NIL")
        columns = ("timestamp", "offset", "key")
        yield ask("literal columns", "awkward", shown(columns) | literal, columns=columns, null="NIL")


def shown(columns: tuple[str, ...]) -> dict[str, str]:
    """Properties that print these."""
    return {f"print.{name}": "true" for name in columns}


def formatter_runs(age: Age, ask: Ask) -> Iterator[Asked]:
    """Formatters of Kafka's own topics and of MirrorMaker 2."""
    for kind, classes in age.formatters.items():
        for name in classes:
            which = "json" if name.startswith(tools.CONSUMERS) else "text"
            yield ask(f"formatter {kind} {which}", OF_FORMATTERS[kind], {}, name)
    if age.has_mirror:
        for name, topic in MIRROR_TOPICS.items():
            yield ask(f"mirror {name}", topic, {}, tools.MIRROR + name)


def dump_runs(age: Age, logs: Path) -> list[Asked]:
    """All forms of dump-log, of logs at rest."""
    return [*record_runs(age, logs), *companion_runs(logs), *check_runs(logs, "ended")]


def segments(logs: Path, topic: str, ending: str = ".log") -> list[Path]:
    """Files of a topic's only partition."""
    return sorted((logs / f"{topic}-0").glob(f"*{ending}"))


def dump(name: str, logs: Path, topic: str, *options: str, endings: tuple[str, ...] = (".log",)) -> Asked:
    """One run of dump-log."""
    files = [file for ending in endings for file in segments(logs, topic, ending)]
    return Asked(f"dump {name}", topic, DUMP_LOG, tools.dump_log(files, *options))


def record_runs(age: Age, logs: Path) -> Iterator[Asked]:
    """Of segments."""
    for topic in TOPICS:
        yield dump(f"plain {topic}", logs, topic)
        yield dump(f"deep {topic}", logs, topic, "--deep-iteration")
        yield dump(f"print {topic}", logs, topic, "--deep-iteration", "--print-data-log")
        if age.has_skip:
            skip = ("--print-data-log", "--skip-record-metadata")
            yield dump(f"skip {topic}", logs, topic, *skip)
    yield dump("shallow packed", logs, "packed", "--print-data-log")
    for topic, decoder in age.decoders.items():
        yield dump(f"plain {topic}", logs, topic)
        yield dump(f"print {topic}", logs, topic, "--print-data-log")
        yield dump(f"decoder {topic}", logs, topic, decoder)
        if age.has_skip:
            yield dump(f"decoder-skip {topic}", logs, topic, decoder, "--skip-record-metadata")
        if topic == "__cluster_metadata" and segments(logs, topic, ".checkpoint"):
            yield dump("decoder snapshot", logs, topic, decoder, endings=(".checkpoint",))


def companion_runs(logs: Path) -> Iterator[Asked]:
    """Of indexes and snapshots."""
    for ending in INDEXES:
        if segments(logs, "ledger", ending):
            yield dump(f"companion {ending}", logs, "ledger", endings=(ending,))
    yield dump("everything", logs, "ledger", "--print-data-log", endings=(".log", *INDEXES))


def check_runs(logs: Path, when: str) -> list[Asked]:
    """Checks of indexes."""
    endings = (".log", ".index", ".timeindex")
    return [
        replace(dump(f"{option} {when}", logs, "ledger", f"--{option}", endings=endings[first:]), is_all=True)
        for option, first in (("index-sanity-check", 1), ("verify-index-only", 0))
    ]
