"""Partitions without a leader as the output of kafka-topics --describe shows them (also with --unavailable-partitions).

The output has no times: a broker that restarts looks the same. Of several files that name a partition the last one counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spark.detectors import located
from spark.detectors._effects import on_entities
from spark.detectors._words import partition_name
from spark.log.cluster_settings import LAYOUTS
from spark.sources.kafka_topics_describe import NO_LEADER
from spark.tables.replica import Row
from spark.terms import marked, topic_commands
from spark.terms.findings import Effect, Finding, Whom
from spark.terms.typed_wording import grouped, listed, plural, some

IDS = ("kafka-topics-describe",)
MAX_NAMED = 10
UNCLEAN = "unclean.leader.election.enable"
# Of partitions that wait for the same brokers: those of their other replicas.
OUT_OF_SYNC = "list_sort(list_filter(list_distinct(flatten(list(replicas))), lambda b: NOT list_contains(waits_for, b))) AS out_of_sync"
OFFSETS, TRANSACTIONS = "__consumer_offsets", "__transaction_state"
# Whose coordinator is the leader of a partition. Kafka answers FIND_COORDINATOR with COORDINATOR_NOT_AVAILABLE without it (`KafkaApis`).
COORDINATED: dict[str, Whom] = {OFFSETS: "groups", TRANSACTIONS: "transactional"}
STOPS = {
    OFFSETS: "The leader of a partition of __consumer_offsets is the coordinator of the groups whose offsets are in it: their members get "
    "COORDINATOR_NOT_AVAILABLE and cannot join, fetch or commit offsets. ",
    TRANSACTIONS: "The leader of a partition of __transaction_state is the coordinator of the transactions in it: their producers get "
    "COORDINATOR_NOT_AVAILABLE and cannot begin or end a transaction. ",
}
NAMED_BY = {
    OFFSETS: ("Group", "G"),
    TRANSACTIONS: ("Transactional ID", "T"),
}  # whose hash is the number of a partition
LACKS = {OFFSETS: "committed offsets of groups", TRANSACTIONS: "states of transactions"}

ANY_LEADERLESS = f"SELECT 1 FROM properties WHERE name = 'leader' AND value IN {NO_LEADER} LIMIT 1"
# One row per topic and set of brokers that may lead: the last in-sync replicas, and those that KIP-966 keeps as eligible.
LEADERLESS = f"""
    WITH told AS (
        SELECT properties.topic, properties.partition, layout_title AS tool, files.name AS file_name, file,
            any_value(value) FILTER (properties.name = 'leader') AS leader, {{ids}}
        FROM properties JOIN files USING (file) WHERE layout IN ({LAYOUTS}) AND properties.name IN ('leader', 'replicas', 'isr', 'elr', 'last_elr')
        GROUP BY ALL
    ),
    newest AS (
        FROM told WHERE leader IS NOT NULL QUALIFY row_number() OVER (PARTITION BY topic, partition ORDER BY file DESC) = 1
    ),
    counted AS (
        SELECT properties.topic, arg_max(TRY_CAST(value AS INT), file) AS partition_count
        FROM properties JOIN files USING (file) WHERE layout IN ({LAYOUTS}) AND properties.name = 'partitions' GROUP BY properties.topic
    ),
    active AS (
        SELECT coalesce(list(DISTINCT broker), []) AS brokers
        FROM (SELECT unnest(list_append(isr, TRY_CAST(leader AS INT))) AS broker FROM newest WHERE leader NOT IN {NO_LEADER})
    ),
    leaderless AS (
        SELECT newest.*, list_sort(list_distinct(isr || elr)) AS eligible, partition_count, shown, count(*) OVER (PARTITION BY topic) AS leaderless_count,
            EXISTS (FROM properties p WHERE p.topic = newest.topic AND (p.name, p.value) = ('{UNCLEAN}', 'true')) AS is_unclean
        FROM newest JOIN (SELECT topic, count(*) AS shown FROM newest GROUP BY topic) USING (topic) LEFT JOIN counted USING (topic)
        WHERE leader IN {NO_LEADER}
    )
    SELECT topic, tool, file_name, if(len(eligible) > 0, eligible, list_sort(last_elr)) AS waits_for, list(partition ORDER BY partition) AS partitions,
        '' AS replica, max(len(replicas)) AS most_replicas, len(any_value(brokers)) > 0 AS has_leaders,
        {OUT_OF_SYNC}, any_value(partition_count) AS partition_count, any_value(shown) AS shown,
        any_value(leaderless_count) AS leaderless_count, bool_or(is_unclean) AS is_unclean,
        coalesce(list(partition ORDER BY partition) FILTER (len(replicas) != 1), []) AS electable, list_filter(waits_for, lambda b: list_contains(any_value(brokers), b)) AS active
    FROM leaderless, active GROUP BY topic, tool, file_name, waits_for ORDER BY topic, partitions
""".format(
    ids=", ".join(
        f"coalesce(TRY_CAST(string_split(any_value(value) FILTER (properties.name = '{name}'), ',') AS INT[]), []) AS {name}"
        for name in ("replicas", "isr", "elr", "last_elr")
    ),
)


def finding(row: Row, detector_id: str, remedy: str, references: list[str]) -> Finding:
    """Of one topic and the brokers that its partitions wait for."""
    names = [partition_name({"topic": row["topic"], "partition": number}) for number in row["partitions"]]
    is_one, which = len(names) == 1, brokers(row)
    subject = (
        f"Partition {names[0]} is"
        if is_one
        else f"{share(row['topic'], len(names), row if len(names) == row['leaderless_count'] else {}, 'At least')} are"
    )
    return Finding(
        detector=detector_id,
        severity="high",
        effects=effects(f"{row['topic']}-{number}" for number in row["partitions"]),
        title=f"{subject} offline: only {which} can lead {'it' if is_one else 'them'} without lost records",
        explanation=(
            f"According to {row['tool']} ({marked.file(row['file_name'])}), {some(names, MAX_NAMED)} {'has' if is_one else 'have'} no leader. "
            f"{coordinated_by(row)}{left_out(row)}{stops([row['topic']])}{reason(row, which)} {others([row['topic']], row['is_unclean'])} "
            f"{copies(row)} The output does not show since when: while a broker restarts, its partitions can be "
            "without a leader for a short time."
        ),
        **located({**row, "partition": row["partitions"][0] if is_one else None}, None),
        entity=f"brokers:{','.join(map(str, row['waits_for']))}",
        entities={f"broker:{number}" for number in row["waits_for"]},
        remedy=remedy,
        references=references,
        facts={name: row[name] for name in ("partition_count", "shown")},
    )


def share(topic: str, count: int, row: Mapping[str, Any], at_least: str = "at least") -> str:
    """`4 of 50 partitions of orders`, as far as the output has their number; `At least` if it has a part of them."""
    whole = row.get("partition_count")
    of = plural(count, "partition") if whole is None else f"{grouped(count)} of {plural(whole, 'partition')}"
    return f"{'' if whole is None or row['shown'] >= whole else f'{at_least} '}{of} of {marked.topic(topic)}"


def effects(names: Iterable[str]) -> list[Effect]:
    """On partitions (`orders-0`, `orders/0`), each for whom its leader serves."""
    return [
        replace(
            effect, whom=COORDINATED.get(effect.entity_id.replace("/", "-").rpartition("-")[0], "clients")
        )
        for effect in on_entities("stuck", "partition", names)
    ]


def stops(topics: Collection[str]) -> str:
    """What works no more."""
    coordinated = "".join(text for topic, text in STOPS.items() if topic in topics)
    return f"A partition without a leader accepts no records and serves none. {coordinated}"


def lacks(topics: Collection[str]) -> str:
    """What another replica can lack."""
    return " and ".join(
        dict.fromkeys(
            LACKS.get(topic, "records that producers got an acknowledgment for") for topic in topics
        )
    )


def others(topics: Collection[str], is_unclean: bool = False) -> str:
    """Whether the controller chooses a replica that is not in sync (`ReplicationControlManager`, `PartitionChangeBuilder`)."""
    if is_unclean:
        return (
            f"{UNCLEAN} is true, so the controller can choose an active replica that lacks {lacks(topics)}."
        )
    return f"Unless {UNCLEAN} is true, the controller chooses no other replica: it can lack {lacks(topics)}."


def coordinated_by(row: Row) -> str:
    """How to find the groups or transactional IDs of a partition (`GroupCoordinator.partitionFor`, `TransactionStateManager.partitionFor`)."""
    if row["topic"] not in NAMED_BY or row["partition_count"] is None:
        return ""
    noun, letter = NAMED_BY[row["topic"]]
    return f"{noun} {letter} is in partition abs(hashCode of {letter}) mod {marked.number(row['partition_count'])}. "


def left_out(row: Row) -> str:
    """That the output is a part of one."""
    if row["partition_count"] is None or row["shown"] >= row["partition_count"]:
        return ""
    of = f"{marked.number(row['shown'])} of {plural(row['partition_count'], 'partition')}"
    return f"The output has {of}: others can be offline, too. "


def to_elect(partitions: Sequence[tuple[str, int]]) -> str:
    """The contents of the file of `kafka-leader-election --path-to-json-file`."""
    named = ", ".join(
        f'{{"topic": "{topic_commands.named(topic)}", "partition": {marked.number(number)}}}'
        for topic, number in partitions[:MAX_NAMED]
    )
    others = len(partitions) - MAX_NAMED
    return f'`{{"partitions": [{named}]}}`' + (
        f", and {plural(others, 'other partition')} in the same form," if others > 0 else ""
    )


def brokers(row: Row) -> str:
    """The brokers that may lead, in words."""
    numbers = listed([marked.number(number) for number in row["waits_for"]])
    if not numbers:
        return "an in-sync replica"
    return f"broker {numbers}" if len(row["waits_for"]) == 1 else f"brokers {numbers}"


def reason(row: Row, which: str) -> str:
    """What the output shows of these brokers."""
    if not row["waits_for"]:
        return "No replica is in sync or eligible."
    is_one, last = len(row["waits_for"]) == 1, has_last(row, which)
    if not row["has_leaders"]:
        return f"{last}. The output does not show whether {'it is' if is_one else 'they are'} down or a log directory is offline."
    if row["active"]:
        named = listed([marked.number(number) for number in row["active"]])
        return f"{last}. In the same output {named} leads or follows other partitions: a log directory can be offline."
    return f"{last}, and {'leads and follows' if is_one else 'lead and follow'} no other partition in the output."


def has_last(row: Row, which: str) -> str:
    """`Broker 3 has the last in-sync replica`."""
    is_one = len(row["waits_for"]) == 1
    return f"{which[0].upper()}{which[1:]} {'has' if is_one else 'have'} the last in-sync replica{'' if is_one else 's'}"


def copies(row: Row, others_have: str = "can have") -> str:
    """Whether there are other copies at all."""
    if row["most_replicas"] == 1:
        return "There is no other replica: the disk of this broker has the only copy of the records."
    return f"The other replicas {others_have} older copies."
