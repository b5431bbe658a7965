"""Steps for the records of a schema registry's repair. A step ends with its command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spark.dialects.schema_registry.owner import CONFLUENT, KARAPACE, REDPANDA
from spark.repair import StepsOf
from spark.repair.schema_registry.holdings import Holdings
from spark.repair.schema_registry.lost import LostVersion
from spark.repair.schema_registry.measures import REGISTRY, set_compact
from spark.repair.steps import BUILD_AGAIN, FOLDER, check_steps, pause_step, program, write_steps
from spark.terms.marked import plain
from spark.terms.topic_commands import DESCRIBE, named, take_dump

STOP = {
    CONFLUENT: (
        "Stop every node of the registry that uses {topic}, all nodes together: a node that is left becomes the leader and writes NOOP "
        "records. Wait until the election group has no member (schema.registry.group.id, schema-registry by default), and then for "
        "kafkastore.timeout.ms (500 ms by default), within which a write is answered or given up: "
        "`kafka-consumer-groups.sh --bootstrap-server BROKER:9092 --describe --group schema-registry --members`"
    ),
    KARAPACE: (
        "Stop every node of Karapace that uses {topic}, all nodes together: a node that is left becomes the primary. Wait until the "
        "election group has no member (group_id, schema-registry by default): "
        "`kafka-consumer-groups.sh --bootstrap-server BROKER:9092 --describe --group schema-registry --members`"
    ),
    REDPANDA: (
        "The registry is a part of each broker and cannot be stopped alone. Block its port (8081 by default) on every broker, so that no "
        "client writes to {topic}, and wait until running calls have ended."
    ),
}
START = {
    CONFLUENT: (
        "Start one node{where}. It must read the whole topic within kafkastore.init.timeout.ms (60 seconds by default). When it answers, "
        "start the others."
    ),
    KARAPACE: "Start one node{where}. When it answers, start the others.",
    REDPANDA: "Restart the brokers one after the other, so that each registry reads the topic again. Then open the port.",
}
NEW_TOPIC = {CONFLUENT: "kafkastore.topic={topic}", KARAPACE: "topic_name: {topic}"}
PROTECTED = (
    "Redpanda protects {topic} from changes of its configuration. Allow them for the repair, and put the setting back at the end: "
    "`rpk cluster config set kafka_nodelete_topics '[]'`"
)


def steps_for(holdings: Holdings, versions: Sequence[LostVersion]) -> StepsOf:
    """The steps of a way for this registry and these versions."""

    def steps(way: str, topic: str, new_topic: str) -> list[str]:
        tail = append_steps if way == "append" else copy_steps
        after_start = [*checks(holdings, versions), *restarts(holdings, versions)]
        return [
            *first_steps(holdings, topic, way),
            *warnings(holdings, versions),
            *tail(holdings, topic, new_topic, after_start),
        ]

    return steps


def first_steps(holdings: Holdings, topic: str, way: str) -> Iterator[str]:
    """Up to the records."""
    yield FOLDER
    if holdings.profile == REDPANDA and way == "append":
        yield PROTECTED.format(topic=topic)
    yield pause_step()
    yield from check_steps(topic)
    yield STOP[holdings.profile].format(topic=topic)
    yield (
        f"Check that cleanup.policy is compact: `{plain(f'{DESCRIBE} {named(topic)}')}`. If it is not, set it now: {set_compact(topic)}"
    )


def append_steps(holdings: Holdings, topic: str, new_topic: str, checks: list[str]) -> Iterator[str]:
    yield from write_steps()
    yield START[holdings.profile].format(where="")
    yield from checks
    yield f"Take a new dump and inspect it with Journalscope: {plain(take_dump(topic, 'after-repair'))}"
    yield f"If everything is there, resume compaction: `{program('resume')}`"
    if holdings.profile == REDPANDA:
        yield 'Put kafka_nodelete_topics back: `rpk cluster config set kafka_nodelete_topics \'["_redpanda.audit_log","__consumer_offsets","_schemas"]\'`'
    yield if_not("leave compaction paused")


def copy_steps(holdings: Holdings, topic: str, new_topic: str, checks: list[str]) -> Iterator[str]:
    yield (
        f"Write the repaired copy. The program checks the topic again, and writes nothing if it has changed. It creates {new_topic} with the "
        f"replication and the settings of {topic}, writes the records in their order, reads them back and compares them: `{program('copy')}`"
    )
    setting = NEW_TOPIC[holdings.profile].format(topic=new_topic)
    yield START[holdings.profile].format(where=f" with the new topic in its configuration (`{setting}`)")
    yield from checks
    yield f"Take a new dump and inspect it with Journalscope: {plain(take_dump(new_topic, 'after-repair'))}"
    yield f"If everything is there, set the new topic for every node. Keep {topic} until you no longer need it."
    yield if_not(f"use {topic} again, which is unchanged")


def warnings(holdings: Holdings, versions: Sequence[LostVersion]) -> Iterator[str]:
    """What becomes of messages with an ID of two schemas."""
    for version in versions:
        if shared := version.shared:
            changes = (
                f" Until now {holdings.title} reads them with {shared.today}."
                if shared.today != shared.first
                else ""
            )
            yield (
                f"Warning: producers of {shared.first} and of {version.name} wrote messages with schema ID {shared.schema_id}, and no "
                f"repair can tell them apart. After the repair every registry reads all of them with {shared.first}.{changes} Read those "
                f"of the producers of {version.name} with the schema of ID {version.schema_id}."
            )


def restarts(holdings: Holdings, versions: Sequence[LostVersion]) -> Iterator[str]:
    """Clients keep the ID of a schema, and the schema of an ID, until they are restarted."""
    for version in versions:
        if shared := version.shared:
            yield (
                f"Restart the producers of {version.name}, so that they write ID {version.schema_id}. Until then they write ID {shared.schema_id}."
            )
            if shared.today != shared.first:
                yield f"Restart the consumers that read ID {shared.schema_id}: they keep the schema of {shared.today} until then."


def checks(holdings: Holdings, versions: Sequence[LostVersion]) -> Iterator[str]:
    """What the registry must answer."""
    for version in versions:
        yield f"Check {version.label}: `curl {REGISTRY}/schemas/ids/{version.schema_id}`"
    yield (
        f"Compare subjects and schemas with what you expect: `curl '{REGISTRY}/subjects?deleted=true'`, "
        f"`curl {REGISTRY}/config`, `curl {REGISTRY}/mode`"
    )


def if_not(leave: str) -> str:
    """What to do where it went wrong."""
    return (
        f"If the registry does not start or something is missing: {leave}. Stop the registry and keep both dumps. "
        f"{BUILD_AGAIN}"
    )
