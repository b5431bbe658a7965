"""Committed offsets beyond the end of their log as the output of a tool shows both: in a row of kafka-consumer-groups, kafka-consumer-offset-checker or
rpk group describe.

The tools ask for the committed offsets first and for the ends of the logs afterwards, so records that arrive meanwhile make the lag greater.
They print the leader's high watermark, and a new leader can know a lower one until its followers fetch: by any number of records, so a
finding is *likely* only, and *low* while a member can have committed just now. Innocent: a dump of the partition has the committed
offset; a later file shows another one.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from spark.detectors._words import partition_name
from spark.log.cluster_settings import LAYOUTS
from spark.stages.prints.numbered import numbered_replicas
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.typed_wording import some

CHECKER = "kafka-consumer-offset-checker"  # of old consumers, which keep offsets in ZooKeeper or in Kafka
IDS = ("kafka-consumer-groups", CHECKER, "rpk-group-describe")  # layouts whose rows have both offsets
MAX_NAMED = 10

BEYOND = f"""
    WITH newest AS (
        SELECT printed.topic, printed.partition, coalesce(printed.name, '') AS group_id, printed."offset" AS committed, end_offset,
            is_active, layout_title AS tool, layout, files.name AS file_name, printed.file
        FROM printed JOIN files USING (file) WHERE printed.kind = 'group' AND layout IN ({LAYOUTS})
        QUALIFY row_number() OVER (PARTITION BY printed.topic, printed.partition, printed.name ORDER BY file DESC) = 1
    ),
    -- The other rows of the group in the same output.
    groups AS (
        SELECT group_id, file, list({{'topic': topic, 'partition': partition, 'lag': end_offset - committed, 'is_active': is_active}}
            ORDER BY topic, partition) AS members
        FROM newest GROUP BY ALL
    ),
    logs AS (SELECT topic, partition, max(last_offset) AS last_offset FROM runs GROUP BY ALL)
    SELECT newest.*, members, '' AS replica, last_offset FROM newest JOIN groups USING (group_id, file) LEFT JOIN logs USING (topic, partition)
    WHERE committed > end_offset ORDER BY topic, partition, group_id
"""


def beyond_the_end(tables: ResultTables, journals: Container[tuple[str, str, int]]) -> Iterator[Row]:
    """One row per committed offset. `journals`: group, topic and partition of those that a journal shows."""
    rows = tables.rows(BEYOND)
    numbered = {(topic, partition) for topic, partition, _ in numbered_replicas(tables)} if rows else set()
    for row in rows:
        log = (row["topic"], row["partition"])
        is_in_log = (
            row["last_offset"] is not None and log not in numbered and row["last_offset"] >= row["committed"]
        )
        if not is_in_log and (row["group_id"], *log) not in journals:
            yield row


def is_of_old_consumer(row: Row) -> bool:
    """Whether ZooKeeper can have the offset."""
    return bool(row["layout"] == CHECKER)


def title(row: Row) -> str:
    group = f"Group {marked.entity(row['group_id'], 'group')}" if row["group_id"] else "A group"
    return (
        f"{group} has committed offset {marked.number(row['committed'])} in {partition_name(row)}, {beyond(row)} beyond the reported end "
        f"({marked.number(row['end_offset'])})"
    )


def beyond(row: Row) -> str:
    return marked.number(row["committed"] - row["end_offset"])


def explanation(row: Row) -> str:
    """What the output shows, what it excludes, what happens next."""
    latest, earliest = ("largest", "smallest") if is_of_old_consumer(row) else ("latest", "earliest")
    fails = "" if is_of_old_consumer(row) else ", with none it fails"
    origin = (
        "comes from another cluster"
        if is_of_old_consumer(row)
        else "was copied from another cluster (MirrorMaker 2)"
    )
    return (
        f"The output of {row['tool']} ({marked.file(row['file_name'])}) shows committed offset {marked.number(row['committed'])} and a log of "
        f"{partition_name(row)} that ends at offset {marked.number(row['end_offset'])}. {owners(row)}{others(row)}"
        "The tool reads the committed offset first and the end later, so new records do not explain the difference, and compaction does not "
        "lower the end of a log. Right after a change of the leader, the new leader can report a lower end than its log has. If a new "
        "output shows the difference again, the topic was deleted and created again, the log became shorter (unclean leader election, a "
        f"restored disk), or the offset {origin}. "
        f"A member that starts there gets OFFSET_OUT_OF_RANGE and continues by `auto.offset.reset`: with {latest} it skips records, with {earliest} "
        f"it reads the whole partition again{fails}."
    )


def owners(row: Row) -> str:
    """Which partitions of the group no member read, where the output has a column of members."""
    unowned = [partition_name(member) for member in row["members"] if member["is_active"] is False]
    if row["is_active"]:
        return f"When the tool ran, a member owned {partition_name(row)}. "
    return f"When the tool ran, no member owned {some(unowned, MAX_NAMED)}. " if unowned else ""


def others(row: Row) -> str:
    """The lag in the other partitions of the group."""
    lags = [
        f"{partition_name(member)} (lag {marked.number(member['lag'])})"
        for member in row["members"]
        if (member["topic"], member["partition"]) != (row["topic"], row["partition"])
        and member["lag"] is not None
    ]
    return f"The output also has {some(lags, MAX_NAMED)}. " if lags else ""
