"""What to do with a repair, as steps with their commands, and what each way needs. A step ends with its command."""

from __future__ import annotations

from spark.repair.envelopes import Written
from spark.terms.topic_commands import take_dump
from spark.terms.wording import file_size, plural

PROGRAM = 'java -cp "KAFKA_HOME/libs/*" ApplyRepair.java {command} --bootstrap-server BROKER:9092{more}'
START = (
    "Warning: do not start a release from 2.1.3 to 2.5.8: it writes the update without content again. Do not start 3.x: it "
    "does not read this journal. Warning: once 2.5.9 or later has run there is no way back to 2.5.8, which stops at the "
    "records that the newer release writes. Start Apicurio Registry 2.5.9 or a later 2.x release, such as 2.6.13{where}"
)
INSPECT = "Inspect the new dump with Journalscope. Ask the registry for each artifact version named above."
IF_NOT = (
    "If the inspection reports anything critical or high, or a version is missing: {leave}. Stop the registry, keep both "
    "dumps, and build a new repair from the newer dump with the older one beside it."
)


def needs(way: str, written: Written, topic: str, new_topic: str) -> list[str]:
    """What a way needs: registries stopped, for how long, space."""
    records = f"{plural(written.records, 'record')} ({file_size(written.size_bytes)})"
    if way == "append":
        return [
            f"Every registry stopped while {records} are written to {topic}, and for one start.",
            "Compaction of the topic paused until the inspection afterwards.",
        ]
    return [
        f"Every registry stopped while {records} are written to {new_topic}, and for one start.",
        f"Space for a second topic of {file_size(written.size_bytes)}, on each of its replicas.",
        f"A changed setting of every registry: its topic is {new_topic} from then on.",
    ]


def steps(way: str, topic: str, new_topic: str) -> list[str]:
    """Steps for records to append to a topic, or for a repaired copy in a new one. Commands run in the folder of the
    repair's files."""
    first = [
        f"Stop every registry that uses {topic}, and everything else that writes to it.",
        f"Take a dump of the topic and keep it: {take_dump(topic)}",
        "Go to the folder of this repair. In the commands, KAFKA_HOME is the folder of any Kafka installation. Check that the "
        f"topic still is what the repair was built from: `{program('check')}`",
        "If the check fails, stop here. Build the repair again from the dump of step 2.",
    ]
    return [*first, *(append_steps(topic) if way == "append" else copy_steps(topic, new_topic))]


def append_steps(topic: str) -> list[str]:
    """From the check on."""
    return [
        f"Pause compaction. The program notes the settings that it changes: `{program('pause')}`",
        "Write the repair records. The program refuses a topic that has changed. It writes the records in their order, reads "
        f"them back and counts them: `{program('append')}`",
        START.format(where="."),
        f"Take a new dump: {take_dump(topic, 'after-repair')}",
        INSPECT,
        f"If the inspection reports nothing critical or high and every version is there, resume compaction: `{program('resume')}`",
        IF_NOT.format(leave="leave compaction paused"),
    ]


def copy_steps(topic: str, new_topic: str) -> list[str]:
    """From the check on."""
    return [
        f"Write the repaired copy. The program makes {new_topic} with the replication and the settings of {topic}. It writes "
        f"the records in their order, reads them back and counts them: `{program('copy')}`",
        START.format(where=f", on the new topic: `REGISTRY_KAFKASQL_TOPIC={new_topic}`"),
        f"Take a new dump: {take_dump(new_topic, 'after-repair')}",
        INSPECT,
        f"If the inspection reports nothing critical or high and every version is there, keep the old topic {topic} until you are "
        "sure. Do not let any registry write to it.",
        IF_NOT.format(leave=f"go back to {topic}, which is unchanged"),
    ]


def program(command: str, more: str = "") -> str:
    """A call of the program beside the files."""
    return PROGRAM.format(command=command, more=more)
