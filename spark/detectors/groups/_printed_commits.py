"""Committed offsets beyond the end of their log as the output of a tool shows both: in a row of kafka-consumer-groups, kafka-consumer-offset-checker or
rpk group describe.

The tools ask for the committed offsets first and for the ends of the logs afterwards, so records that arrive meanwhile make the lag greater.
A member that reads the partition can have committed up to an end that the partition's new leader does not know yet: a small difference
is *likely* only. Innocent: a dump of the partition has the committed offset; a later file shows another one.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from spark.detectors._words import partition_name
from spark.log.cluster_settings import LAYOUTS
from spark.stages.prints.numbered import numbered_replicas
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.typed_wording import grouped, plural

CHECKER = "kafka-consumer-offset-checker"  # of old consumers, which keep offsets in ZooKeeper or in Kafka
IDS = ("kafka-consumer-groups", CHECKER, "rpk-group-describe")  # layouts whose rows have both offsets
MAX_OF_A_MOMENT = 1000  # offsets that an end may be behind for a moment

BEYOND = f"""
    WITH newest AS (
        SELECT printed.topic, printed.partition, coalesce(printed.name, '') AS group_id, printed."offset" AS committed, end_offset,
            coalesce(is_active, false) AS is_active, layout_title AS tool, layout, files.name AS file_name
        FROM printed JOIN files USING (file) WHERE printed.kind = 'group' AND layout IN ({LAYOUTS})
        QUALIFY row_number() OVER (PARTITION BY printed.topic, printed.partition, printed.name ORDER BY file DESC) = 1
    ),
    logs AS (SELECT topic, partition, max(last_offset) AS last_offset FROM runs GROUP BY ALL)
    SELECT newest.*, '' AS replica, last_offset FROM newest LEFT JOIN logs USING (topic, partition)
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


def can_be_momentary(row: Row) -> bool:
    """Whether a leader that does not know the end yet explains it. Tools print its high watermark."""
    return bool(row["committed"] - row["end_offset"] <= MAX_OF_A_MOMENT)


def is_momentary(row: Row) -> bool:
    """Whether a member can have committed it just now."""
    return row["is_active"] and can_be_momentary(row)


def is_of_old_consumer(row: Row) -> bool:
    """Whether ZooKeeper can have the offset."""
    return bool(row["layout"] == CHECKER)


def title(row: Row) -> str:
    group = f"Group {marked.entity(row['group_id'], 'group')}" if row["group_id"] else "A group"
    committed, end = marked.number(row["committed"]), marked.number(row["end_offset"])
    if is_momentary(row):
        return f"{group} has committed offset {committed} of {partition_name(row)}, beyond the end of the log (offset {end})"
    return f"{group} cannot continue where it stopped in {partition_name(row)}: its committed offset {committed} is beyond the end of the log (offset {end})"


def explanation(row: Row) -> str:
    """What the output shows, what it excludes, what happens next."""
    beyond = plural(row["committed"] - row["end_offset"], "offset")
    shows = (
        f"The output of {row['tool']} ({marked.file(row['file_name'])}) shows committed offset {marked.number(row['committed'])} and a log of "
        f"{partition_name(row)} that ends at offset {marked.number(row['end_offset'])}: the commit is {beyond} beyond the end. "
        "The tool asks for the committed offsets before it asks for the ends, so new records do not explain the difference, and compaction does not "
        "lower the end of a log. "
    )
    causes = (
        "the topic was deleted and created again, the log became shorter (unclean leader election, a restored disk), or the offset "
        f"{'comes from another cluster' if is_of_old_consumer(row) else 'was copied from another cluster (MirrorMaker 2)'}. "
    )
    if can_be_momentary(row):
        member = "A member of the group reads the partition. " if is_momentary(row) else ""
        shows += (
            f"{member}After a change of the leader, the new leader can know a lower end for a moment: up to {grouped(MAX_OF_A_MOMENT)} offsets are no proof "
            f"of a fault. If a new output shows it again, {causes}"
        )
    else:
        shows += f"T{causes[1:]}"
    latest, earliest = ("largest", "smallest") if is_of_old_consumer(row) else ("latest", "earliest")
    fails = "" if is_of_old_consumer(row) else ", with none it fails"
    return (
        f"{shows}A member that starts there gets OFFSET_OUT_OF_RANGE and continues by `auto.offset.reset`: with {latest} it skips records, with {earliest} "
        f"it reads the whole partition again{fails}."
    )
