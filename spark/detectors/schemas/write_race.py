"""Write race: records of Redpanda's registry that lost the race for their offset, as they should when nodes write at once.

Never an anomaly; a high rate means that many nodes write at once. Page: docs/detectors/write-race.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors.schemas._races import LOSERS, never_applied
from spark.detectors.schemas._writes import DIALECT, prepared
from spark.detectors.schemas.readers_disagree import TITLES
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_of, same_replica
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, grouped, listed, plural

MAX_EVIDENCE = 50
UNNAMED = "unnamed"
LOST_COLUMNS = ", ".join(f"lost.{name}" for name in (*REPLICA_COLUMNS.split(", "), '"offset"'))
# A record that counts and says what the ignored one says: its retry, or what another node wrote at the offset that it expected.
SAME_CONTENT = " AND ".join(
    f"other.{name} IS NOT DISTINCT FROM lost.{name}"
    for name in ("entry_type", "entry_action", "subject", "text", "level", "mode")
)
RACES = f"""
    WITH writes AS (
        SELECT {REPLICA_COLUMNS}, count(*) AS writes FROM registry_writes
        WHERE seq IS NOT NULL AND entry_action NOT IN ('delete', 'empty') GROUP BY ALL
    ),
    lost AS ({LOSERS}),
    resolved AS (
        SELECT {LOST_COLUMNS}, lost.seq, lost.node, min(other."offset") FILTER (other."offset" > lost."offset") AS again,
            max(other."offset") FILTER (other."offset" < lost."offset") AS same
        FROM lost LEFT JOIN registry_writes AS other
            ON other.counts AND other."offset" >= lost.seq AND {same_replica("other", "lost")} AND {SAME_CONTENT}
        GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, count(*) AS losers, any_value(writes) AS writes, max("offset") AS last_offset,
        list({{'offset': "offset", 'seq': seq, 'again': again, 'same': same}} ORDER BY "offset")[:%d] AS lost,
        count_if(again IS NULL AND same IS NULL) AS unresolved,
        list(DISTINCT coalesce(node, '{UNNAMED}') ORDER BY coalesce(node, '{UNNAMED}')) AS nodes
    FROM resolved JOIN writes USING ({REPLICA_COLUMNS}) GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""

# What the registries that do not check seq would have at the end of the log, by their own replay, where Redpanda's has another thing.
# Karapace gives an ID to the last schema that a record names with it; of Confluent's the versions tell as much.
OTHER_READERS = f"""
    WITH refused AS (SELECT DISTINCT {REPLICA_COLUMNS}, "offset" FROM refusals WHERE view = 'log' AND profile = 'karapace'),
    ignored AS (SELECT {REPLICA_COLUMNS}, context, id FROM registry_writes WHERE NOT counts),
    named AS (
        SELECT {REPLICA_COLUMNS}, context, id, arg_max(text, "offset") AS karapace, arg_max(text, "offset") FILTER (counts) AS redpanda
        FROM registry_writes SEMI JOIN ignored USING ({REPLICA_COLUMNS}, context, id) ANTI JOIN refused USING ({REPLICA_COLUMNS}, "offset")
        WHERE entry_type = 'SCHEMA' AND entry_action NOT IN ('delete', 'empty') AND id IS NOT NULL GROUP BY ALL
    ),
    held AS (
        SELECT {REPLICA_COLUMNS}, entity_type, entity_id, profile,
            json_extract_string(attributes, ['$.id', '$.deleted', '$.schemaHash', '$.compatibility']) AS says
        FROM state WHERE view = 'log' AND valid_to_offset IS NULL AND entity_type IN ('schema', 'config')
    ),
    readers AS (SELECT unnest(['confluent', 'karapace']) AS reader),
    differing AS (
        SELECT {REPLICA_COLUMNS}, reader, entity_type, entity_id FROM held JOIN readers ON profile IN ('redpanda', reader)
        GROUP BY ALL HAVING min(says) <> max(says) OR min(profile) = max(profile)
    )
    SELECT {REPLICA_COLUMNS}, reader, count(*) AS entities, NULL AS ids FROM differing GROUP BY ALL
    UNION ALL
    SELECT {REPLICA_COLUMNS}, 'karapace', NULL, list(id ORDER BY id) FROM named WHERE redpanda <> karapace GROUP BY ALL
    ORDER BY ALL
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition with such records; those that were never written again have a finding of their own."""
    lost: dict[object, set[int]] = {}
    for row in never_applied(tables):
        lost.setdefault(replica_of(row), set()).update(row["offsets"])
    races = prepared(tables).rows(RACES % (MAX_EVIDENCE + sum(map(len, lost.values()))))
    others: dict[object, list[Row]] = {}
    for row in tables.rows(OTHER_READERS) if races else ():
        others.setdefault(replica_of(row), []).append(row)
    for row in races:
        own = lost.get(replica_of(row), set())
        ignored_writes = [each for each in row["lost"] if each["offset"] not in own][:MAX_EVIDENCE]
        if ignored_writes:
            yield {
                **row,
                "losers": row["losers"] - len(own),
                "unresolved": row["unresolved"] - len(own),
                "lost": ignored_writes,
                "differing": others.get(replica_of(row), []),
            }


def describe(row: Row) -> Finding:
    offsets = [each["offset"] for each in row["lost"]]
    elsewhere = of_other_readers(row["differing"])
    resolved = " So no data is lost." if row["unresolved"] <= 0 else ""
    return Finding(
        detector=detector.id,
        severity="info",
        title=title(row),
        explanation=(
            "Several nodes of Redpanda's registry can write at the same time. If two of them expect the same offset, the record that is "
            "written second keeps a seq below its offset, and the registry ignores it. Its node writes it again, unless another node has "
            f"written the same. {'. '.join(map(what_became_of_it, row['lost'][:OFFSETS_NAMED]))}.{resolved} "
            f"{ignored(list(row['nodes']), row['losers'])} A high number means that many clients register "
            f"schemas at the same time. Confluent and Karapace registries do not check seq. {elsewhere}"
        ),
        **located(row, offsets[0], row["last_offset"]),
        entity="races",
        evidence=offsets,
        remedy=detector.remedy(),
        references=detector.references,
        reservation=elsewhere,
    )


def title(row: Row) -> str:
    """Which writes are ignored, why, and where they were written again; the last if that is so of all."""
    named = list(row["lost"])[:OFFSETS_NAMED]
    offsets, again = at_offsets([each["offset"] for each in named]), [each["again"] for each in named]
    if row["losers"] == 1:
        text = f"The write at {offsets} is ignored: it expected offset {marked.offset(named[0]['seq'])}, which another record has"
    else:
        first = "the first at " if row["losers"] > len(named) else ""
        text = (
            f"{grouped(row['losers'])} of {plural(row['writes'], 'write')} are ignored ({first}{offsets}): other records have the "
            "offsets that they expected"
        )
    if row["losers"] > len(named) or not all(offset is not None for offset in again):
        return text
    return f"{text}. Written again at {at_offsets(sorted(set(again)))}"


def what_became_of_it(write: Row) -> str:
    """Of one ignored write: the offset that it expected, and the record that says the same."""
    expected = (
        f"The write at offset {marked.offset(write['offset'])} expected offset {marked.offset(write['seq'])}"
    )
    if write["again"] is not None:
        return f"{expected} and was written again at offset {marked.offset(write['again'])}"
    if write["same"] is not None:
        return f"{expected}. Offset {marked.offset(write['same'])} contains the same"
    return f"{expected}. The input contains no record that writes it again"


def ignored(nodes: list[str], losers: int) -> str:
    """Which nodes wrote the ignored records."""
    records = "record is" if losers == 1 else "records are"
    names = listed("a node without a number" if node == UNNAMED else f"node {node}" for node in nodes)
    return f"{'Node' if len(nodes) == 1 else 'Nodes'} whose {records} ignored: {names}."


def of_other_readers(differing: Iterable[Row]) -> str:
    """A sentence for each kind of registry that would read the journal differently; empty where none would."""
    clauses: dict[str, list[str]] = {}
    for row in differing:
        ids = row["ids"] or []
        different = (
            f"differ from Redpanda in {plural(row['entities'], 'version or config', 'versions and configs')}"
            if row["entities"]
            else f"return another schema for ID {ids[0]}"
            if len(ids) == 1
            else f"return other schemas for {plural(len(ids), 'ID')}"
        )
        clauses.setdefault(row["reader"], []).append(different)
    return " ".join(f"A {TITLES[reader]} registry would {listed(does)}." for reader, does in clauses.items())


detector = Detector(
    id="write-race",
    title="Concurrent writes ignored",
    find=find,
    describe=describe,
    headline=clause("{count} with concurrent writes that the registry ignores", "journal"),
    rows_of="entries",
    needs=frozenset({"offset", "key"}),
    dialects=(DIALECT,),
)
