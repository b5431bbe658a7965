"""What to do with a repair, as steps with their commands, and what each way needs. A step ends with its command."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from spark.repair.envelopes import Written
from spark.terms.installation import COMMAND_NAME
from spark.terms.marked import plain
from spark.terms.topic_commands import take_dump
from spark.terms.wording import file_size, plural, some

PROGRAM = 'java -cp "KAFKA_HOME/libs/*" ApplyRepair.java {command} --bootstrap-server BROKER:9092'
FOLDER = (
    "Go to the folder of this repair. In the commands, KAFKA_HOME is the folder of any Kafka installation of 2.3 or later, and java "
    "is that of a JDK 11 or later. If the brokers require TLS or a login, add --command-config client.properties to each command."
)
RELEASE = (
    "Install Apicurio Registry 2.5.9 or a later 2.x release, such as 2.6.13. Do not start 2.1.3 to 2.5.8: they write the UPDATE "
    "without content again. Do not start 3.x: it cannot read this journal."
)
CORRECTS = (
    "Warning: after the repair, these answers change compared with a start on the current topic: {corrected}."
)
NO_WAY_BACK = (
    "Warning: after this start you cannot downgrade to 2.5.8. It stops at the records of the newer release."
)
START = "Start the registry{where}"
BUILD_AGAIN = "Build a new repair from the newer dump, with the dumps of this repair as older dumps."
IF_NOT = (
    "If the inspection reports a critical or high finding, or a version is missing: {leave}. Stop the registry and keep both dumps. "
    f"{BUILD_AGAIN}"
)
VERSIONS_LISTED = 50


def needs(way: str, written: Written, topic: str, new_topic: str, loses_in_part: bool = False) -> list[str]:
    """What a way needs: registries stopped, for how long, space. `loses_in_part`: the first records alone lose something."""
    records = f"{plural(written.records, 'record')} ({file_size(written.size_bytes)})"
    if way == "append":
        one_batch = (
            f"A max.message.bytes of at least {written.size_bytes} for {topic}, so that the broker stores all records or none. With less, "
            "the program writes them one by one: do not interrupt it then."
        )
        return [
            f"Every registry stopped while {records} are written to {topic}, and until the first start has ended.",
            "Compaction of the topic paused until the inspection of the new dump.",
            *([one_batch] if loses_in_part else []),
        ]
    return [
        f"Every registry stopped while {records} are written to {new_topic}, and until the first start has ended.",
        f"Space for a second topic of {file_size(written.size_bytes)}, on each of its replicas.",
        f"A changed setting of every registry: it uses the topic {new_topic} after that.",
    ]


def steps(
    way: str,
    topic: str,
    new_topic: str,
    versions: Sequence[str] = (),
    corrected: Sequence[str] = (),
    keeping: Sequence[str] = (),
) -> list[str]:
    """Steps for records to append to a topic, or for a repaired copy in a new one. Commands run in the folder of the
    repair's files. `versions`: what the registry must answer with afterwards; `corrected`: what it answers otherwise than now;
    `keeping`: steps for who wants it as it is now."""
    first = [
        FOLDER,
        pause_step(),
        *check_steps(topic),
        f"Stop every registry that uses {topic}, and every other program that writes to it. Do not start a registry before the step that "
        "starts it.",
    ]
    warnings = [CORRECTS.format(corrected=some(corrected))] if corrected else []
    rest = append_steps(topic, versions) if way == "append" else copy_steps(topic, new_topic, versions)
    return [*first, *warnings, *rest, *keeping]


def with_warnings(steps: Sequence[str]) -> list[str]:
    """Each warning in the step that follows it: nobody does a warning, and so it has no number."""
    merged: list[str] = []
    warnings: list[str] = []
    for step in steps:
        warnings.append(step)
        if not step.startswith("Warning: "):
            merged.append(" ".join(warnings))
            warnings = []
    return [*merged, *warnings]


def append_steps(topic: str, versions: Sequence[str]) -> list[str]:
    """From the check on."""
    return [
        *write_steps(),
        RELEASE,
        NO_WAY_BACK,
        START.format(where="."),
        f"Take a new dump: {plain(take_dump(topic, 'after-repair'))}",
        *inspect_steps(versions),
        "If the inspection reports no critical or high finding and every version is present, resume compaction, in the folder where you "
        f"paused it: `{program('resume')}`",
        IF_NOT.format(leave="leave compaction paused"),
    ]


def pause_step() -> str:
    """The first thing that changes anything."""
    return (
        "Pause compaction, before anything else. The program checks the topic, then stores the settings that it changes: "
        f"`{program('pause')}`"
    )


def check_steps(topic: str) -> list[str]:
    """A dump, whether the repair still fits the topic, and what to do if not: before anything is stopped, as nothing needs to be if
    it does not. The program checks again before it writes."""
    return [
        f"Take a dump of the topic and keep it: {plain(take_dump(topic))}",
        f"Check that the topic has not changed since the repair was built: `{program('check')}`",
        "If the check fails, stop here: the records do not match the topic. Build a new repair from the dump that you took, with the dumps "
        "of this repair as older dumps. Use the page Repair, or the command line: "
        f"`{COMMAND_NAME} repair {topic}.json --older OLD_DUMP --out NEW_FOLDER`",
    ]


def write_steps() -> list[str]:
    """The records, which need not fit into one batch (warnOfParts of the program), and what to do if it is interrupted."""
    return [
        "Write the repair records. The program checks the topic again, and writes nothing if it has changed. It writes one record batch. "
        f"If the records are more than one batch can contain, it says so and writes them one by one: do not interrupt it then. It reads them back and compares them: `{program('append')}`",
        "If the program was interrupted, start no registry. Run it again. It continues where it stopped: "
        f"`{program('resume-append')}`",
    ]


def copy_steps(topic: str, new_topic: str, versions: Sequence[str]) -> list[str]:
    """From the check on."""
    return [
        "Write the repaired copy. The program checks the topic again, and writes nothing if it has changed. It creates "
        f"{new_topic} with the replication and the settings of {topic}. It writes the records in their order, reads them back and compares them: `{program(f'copy --new-topic {new_topic}')}`",
        RELEASE,
        NO_WAY_BACK,
        START.format(where=f", on the new topic: `REGISTRY_KAFKASQL_TOPIC={new_topic}`"),
        f"Take a new dump: {plain(take_dump(new_topic, 'after-repair'))}",
        *inspect_steps(versions),
        f"If the inspection reports no critical or high finding and every version is present, keep the old topic {topic} until you no "
        "longer need it. Make sure that no registry writes to it.",
        IF_NOT.format(leave=f"use {topic} again, which is unchanged"),
    ]


def inspect_steps(versions: Sequence[str]) -> list[str]:
    """What to look at: the new dump, and each version over REST."""
    listed = [f"Fetch {version}: `{fetch(version)}`" for version in versions[:VERSIONS_LISTED]]
    more = len(versions) - len(listed)
    rest = [f"Fetch {plural(more, 'more version')}: the answer of the repair names them."] if more > 0 else []
    return ["Inspect the new dump with Journalscope.", *listed, *rest]


def fetch(version: str) -> str:
    """The command that fetches a version; any failure ends it with an error."""
    artifact, _, number = version.rpartition("/")
    group, _, name = artifact.partition("/")
    path = (
        f"groups/{quote(group, safe='')}/artifacts/{quote(name, safe='')}/versions/{quote(number, safe='')}"
    )
    return f"curl -fsS 'http://REGISTRY:8080/apis/registry/v2/{path}'"


def program(command: str) -> str:
    """A call of the program beside the files."""
    return PROGRAM.format(command=command)
