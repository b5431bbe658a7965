"""Printed: what the output of Kafka's tools shows of this journal, in sentences that name their source.

They stand in `coverage.capture` of the report, behind what a capture told.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spark.log.cluster_settings import LAYOUTS, PRINTED_SETTINGS, SAID_BY
from spark.sources._grammar.declared_tables import TOOL_PRINTS
from spark.sources.kafka_topics_describe import NO_LEADER
from spark.tables import Manifest
from spark.tables.store import ResultTables
from spark.terms.marked import partition_name
from spark.terms.wording import listed, moment, some

Row = dict[str, Any]
MAX_SENTENCES = 20  # sentences of a kind
# Of the journals; without a journal, of the prints.
TOPICS = """(
    SELECT DISTINCT topic FROM runs
    UNION SELECT topic FROM (SELECT topic FROM properties UNION ALL SELECT topic FROM printed) WHERE NOT EXISTS (FROM runs)
)"""
SETTINGS_SHOWN = (
    "cleanup.policy", "min.compaction.lag.ms", "max.compaction.lag.ms", "delete.retention.ms", "retention.ms",
    "retention.bytes", "message.format.version", "segment.bytes", "segment.ms",
)  # fmt: skip
SETTINGS = f"""
    WITH {PRINTED_SETTINGS}
    SELECT topic, said_by, list(name || '=' || value ORDER BY name) AS settings
    FROM printed_settings SEMI JOIN {TOPICS} USING (topic) WHERE name IN {SETTINGS_SHOWN} GROUP BY ALL ORDER BY ALL
"""
REPLICAS = f"""
    WITH {PRINTED_SETTINGS}
    SELECT properties.topic, properties.partition, {SAID_BY} AS said_by,
        any_value(properties.value) FILTER (properties.name = 'leader') AS leader,
        any_value(properties.value) FILTER (properties.name = 'replicas') AS replicas,
        coalesce(any_value(properties.value) FILTER (properties.name = 'isr'), '') AS isr,
        any_value(TRY_CAST(minimum.value AS INT)) AS minimum
    FROM properties JOIN files USING (file)
    LEFT JOIN (FROM printed_settings WHERE name = 'min.insync.replicas') AS minimum ON minimum.topic = properties.topic
    WHERE layout IN ({LAYOUTS}) AND properties.name IN ('leader', 'replicas', 'isr') AND properties.topic IN {TOPICS}
    GROUP BY ALL ORDER BY len(isr) >= len(replicas), 1, 2 LIMIT {MAX_SENTENCES}
"""
# Outputs that have not all partitions of a topic.
PARTS = f"""
    SELECT properties.topic, {SAID_BY} AS said_by, count(DISTINCT properties.partition) FILTER (properties.name = 'leader') AS shown,
        any_value(TRY_CAST(properties.value AS INT)) FILTER (properties.name = 'partitions') AS partition_count
    FROM properties JOIN files USING (file) WHERE layout IN ({LAYOUTS}) AND properties.topic IN {TOPICS}
    GROUP BY ALL HAVING shown BETWEEN 1 AND partition_count - 1 ORDER BY ALL LIMIT {MAX_SENTENCES}
"""
ENDS = f"""
    WITH ends AS (SELECT topic, partition, max(last_offset) AS last_offset FROM runs GROUP BY ALL)
    SELECT ends.topic, ends.partition, printed.kind, max("offset") AS "offset", any_value(last_offset) AS last_offset,
        arg_max({SAID_BY}, "offset") AS said_by
    FROM printed JOIN files USING (file) JOIN ends ON (printed.topic, printed.partition) = (ends.topic, ends.partition)
    WHERE printed.kind IN ('log_start', 'log_end') GROUP BY ALL ORDER BY ALL LIMIT {2 * MAX_SENTENCES}
"""
OTHERS = f"""
    SELECT printed.*, {SAID_BY} AS said_by FROM printed JOIN files USING (file)
    WHERE printed.kind = '{{kind}}' AND (printed.topic IN {TOPICS} OR printed.topic = '')
    ORDER BY printed.topic, printed.partition, printed.name, "offset" LIMIT {MAX_SENTENCES}
"""
PART = "The output of {said_by} has {shown} of {partition_count} partitions of {topic}."
LEADER = "{topic}-{partition} has {leader}, replicas {replicas}, {in_sync}, according to {said_by}."
HANGING = "The transaction of producer {producer_id} in {topic}-{partition} hangs from offset {offset}, according to {said_by}."
TRANSACTION = "Transactional ID {name} (producer {producer_id}) is in state {value}, according to {said_by}."


def printed(manifest: Manifest, files: Iterable[Row]) -> list[str]:
    """The sentences; none where no print came with the journal."""
    has_prints = any(row["layout"] in TOOL_PRINTS for row in files)
    return sentences(ResultTables.open(manifest)) if has_prints else []


def sentences(tables: ResultTables) -> list[str]:
    """The same over open tables: settings, replicas, ends, cleanings, groups, transactions."""
    lines = [setting(row) for row in tables.rows(SETTINGS)]
    lines += [PART.format_map(row) for row in tables.rows(PARTS)]
    lines += [replicas(row) for row in tables.rows(REPLICAS)]
    lines += [end(row) for row in tables.rows(ENDS)]
    for kind, say in (
        ("cleaned", cleaned),
        ("group", group),
        ("hanging", HANGING.format_map),
        ("transaction", TRANSACTION.format_map),
    ):
        lines += [say(row) for row in tables.rows(OTHERS.format(kind=kind))]
    return lines


def name(row: Row) -> str:
    return partition_name(row["topic"], row["partition"])


def setting(row: Row) -> str:
    topic = "this dump's topic" if row["topic"] == "?" else row["topic"]
    return f"Settings of {topic} according to {row['said_by']}: {some(row['settings'])}."


def replicas(row: Row) -> str:
    """Who leads a partition, which replicas are in sync, and whether these are too few."""
    leader = "no leader" if row["leader"] in NO_LEADER else f"leader {row['leader']}"
    in_sync = f"in-sync replicas {row['isr']}" if row["isr"] else "no in-sync replica"
    text = LEADER.format_map({**row, "leader": leader, "in_sync": in_sync})
    count = len([broker for broker in row["isr"].split(",") if broker])
    if row["minimum"] is not None and count < row["minimum"]:
        return f"{text} These are fewer than min.insync.replicas={row['minimum']}: producers with acks=all cannot write."
    if count < len((row["replicas"] or "").split(",")):
        return f"{text} Not all replicas are in sync."
    return text


def without_journal(files: Iterable[Row]) -> str:
    """`the output of kafka-topics --describe contains no records`, where the input has nothing else; else empty."""
    rows = list(files)
    titles = list(dict.fromkeys(row["layout_title"] for row in rows if row["layout"] in TOOL_PRINTS))
    if not titles or any(row["kind"] in ("segment", "export") for row in rows):
        return ""
    return f"the output of {listed(titles)} contains no records"


def end(row: Row) -> str:
    """Where a log starts or ends, and what of it the input does not have."""
    word = "starts" if row["kind"] == "log_start" else "ends"
    text = f"The log of {name(row)} {word} at offset {row['offset']}, according to {row['said_by']}."
    missing = row["offset"] - row["last_offset"] - 1
    if row["kind"] == "log_start" or missing <= 0:
        return text
    return f"{text} The input ends at offset {row['last_offset']}, so it lacks the last {'offset' if missing == 1 else f'{missing} offsets'}."


def cleaned(row: Row) -> str:
    """When the log cleaner ran, and up to which offset."""
    when = (
        f" at {moment(row['timestamp_ms'])} (clock of the tool's log)"
        if row["timestamp_ms"] is not None
        else ""
    )
    return f"The log cleaner compacted {name(row)} up to offset {row['offset']} (exclusive){when}, according to {row['said_by']}."


def group(row: Row) -> str:
    """Its committed offset, and how far that is from the end."""
    text = f"{'Group ' + row['name'] if row['name'] else 'A group'} has committed offset {row['offset']} of {name(row)}"
    end = row["end_offset"]
    lag = None if end is None else end - row["offset"]
    measured = "" if lag is None else f" (end {end}, {f'lag {lag}' if lag >= 0 else f'{-lag} beyond it'})"
    return f"{text}{measured}, according to {row['said_by']}."
