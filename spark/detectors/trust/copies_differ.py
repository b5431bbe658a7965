"""Copies differ: a dump beside segments or another dump of the same partition lacks records of it, or has others.

The dump is compared with the best copy, over the offsets that both reach: segments first, then the export that lacks least.
Values are compared only where both layouts keep bytes as they are. Innocent: copies that have mostly other records at the same
offsets, which are of another log, or records of which nothing tells whether they are the same; replicas on several brokers, which are replica-divergence's.
Page: docs/detectors/copies-differ.md
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from spark.detectors import Detector, DoesNotApply, clause, located
from spark.sources import lacks_in, sources
from spark.stages.partition_folders import UNKNOWN_TOPIC
from spark.stages.prints.numbered import NUMBERED_FILES
from spark.tables.replica import PartitionReplica, Row, is_of, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, grouped, listed, plural

CHANGES_VALUES = {"exact-bytes", "null-or-empty"}
COPIES = f"""
    SELECT topic, partition, replica, bool_and(kind = 'segment') AS is_segment, list(DISTINCT layout ORDER BY layout) AS layouts,
        list(DISTINCT layout_title ORDER BY layout_title) AS titles, flatten(list(coalesce(cannot_tell, []))) AS cannot_tell
    FROM runs JOIN (SELECT file, kind, layout, layout_title, cannot_tell FROM files) USING (file)
    WHERE topic <> '{UNKNOWN_TOPIC}' AND file NOT IN ({NUMBERED_FILES}) AND (topic, partition) IN (
        SELECT (topic, partition) FROM runs GROUP BY topic, partition HAVING count(DISTINCT replica) > 1)
    GROUP BY topic, partition, replica ORDER BY topic, partition, replica
"""
BESIDE = """
    WITH best AS (SELECT "offset", {content} AS content, {can_tell} AS can_tell FROM records WHERE {best} AND control_type IS NULL),
    dump AS (SELECT "offset", {content} AS content, {can_tell} AS can_tell FROM records WHERE {dump} AND control_type IS NULL),
    ends AS (
        SELECT greatest(min(best."offset"), (SELECT min("offset") FROM dump)) AS first_offset,
            least(max(best."offset"), (SELECT max("offset") FROM dump)) AS last_offset
        FROM best
    ),
    beside AS (
        SELECT "offset", best.content AS best_content, dump.content AS dump_content, best.can_tell OR dump.can_tell AS can_tell
        FROM best FULL JOIN dump USING ("offset") WHERE "offset" BETWEEN (SELECT first_offset FROM ends) AND (SELECT last_offset FROM ends)
    ),
    judged AS (
        SELECT "offset", CASE WHEN dump_content IS NULL THEN 'lacking' WHEN best_content IS NULL THEN 'extra'
            WHEN best_content = dump_content THEN 'same' WHEN can_tell THEN 'other' ELSE 'unknown' END AS kind
        FROM beside
    )
    SELECT kind, count(*) AS records, list("offset" ORDER BY "offset")[:{most}] AS offsets FROM judged GROUP BY kind
"""
# Content, and whether contents that are not equal are those of two records. Without a key, a tool that changes values leaves it open.
KEYS = "CASE WHEN key IS NULL THEN hash(value) ELSE hash(key) END", "key IS NOT NULL"
BYTES = "hash(key, value)", "true"
WHAT = {"other": "has another key or value", "lacking": "lacks a record", "extra": "has a record more"}


def absent(tables: ResultTables) -> str | None:
    """Without a dump beside another copy there is nothing to compare."""
    if pairs(tables.rows(COPIES)):
        return None
    return DoesNotApply("no dump in the input is a copy of a partition that another file contains, too")


def pairs(rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Each dump with the best other copy of its partition."""
    groups: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["topic"], row["partition"]].append(row)
    ordered = [sorted(group, key=rank) for group in groups.values()]
    return [(best, other) for best, *others in ordered for other in others if not other["is_segment"]]


def rank(row: Row) -> tuple[object, ...]:
    """The best copy first."""
    return not row["is_segment"], len(lacks(row)), row["replica"]


def lacks(row: Row) -> frozenset[str]:
    """What the files of a copy lack."""
    of_layouts = (sources()[layout].lacks for layout in row["layouts"] if layout in sources())
    return lacks_in(row["cannot_tell"]).union(*of_layouts)


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per dump that differs from the best copy of its partition."""
    for best, dump in pairs(tables.rows(COPIES)):
        kinds = compared(tables, best, dump)
        records = {kind: kinds.get(kind, {}).get("records", 0) for kind in ("same", "unknown", *WHAT)}
        is_copy = records["same"] > records["other"] + records["unknown"]
        if is_copy and any(records[kind] for kind in WHAT):
            yield {**dump, "best": name_of(best), "dump": name_of(dump), "kinds": kinds}


def compared(tables: ResultTables, best: Row, dump: Row) -> dict[str, dict[str, Any]]:
    """Counts and first offsets by what the dump has there."""
    content, can_tell = KEYS if CHANGES_VALUES & (lacks(best) | lacks(dump)) else BYTES
    of_best, of_dump = is_of(replica_of(best)), is_of(replica_of(dump))
    query = BESIDE.format(best=of_best, dump=of_dump, content=content, can_tell=can_tell, most=OFFSETS_NAMED)
    return {row["kind"]: row for row in tables.rows(query)}


def name_of(row: Row) -> str:
    """A copy's name for sentences."""
    replica: PartitionReplica = replica_of(row)
    return replica[2] or listed(row["titles"])


def describe(row: Row) -> Finding:
    kinds = {kind: row["kinds"][kind] for kind in WHAT if kind in row["kinds"]}
    offsets = sorted({offset for difference in kinds.values() for offset in difference["offsets"]})
    differing = sum(difference["records"] for difference in kinds.values())
    return Finding(
        detector=detector.id,
        severity="info",
        title=(
            f"{marked.replica(row['dump'])} differs from {marked.replica(row['best'])} at {plural(differing, 'offset')} of {marked.partition(row['topic'], row['partition'])}"
        ),
        explanation="\n".join(
            [*(sentence_of(row, kind, difference) for kind, difference in kinds.items()), WHY]
        ),
        **located(row, *offsets),
        entity="copy",
        evidence=offsets[:OFFSETS_NAMED],
        remedy=detector.remedy(),
    )


def sentence_of(row: Row, kind: str, difference: Row) -> str:
    """`dump.json lacks a record at offsets 4 and 5.`"""
    more = difference["records"] - len(difference["offsets"])
    others = f" and at {grouped(more)} more" if more else ""
    return f"{marked.replica(row['dump'])} {WHAT[kind]} at {at_offsets(difference['offsets'])}{others}."


WHY = (
    "Both are copies of one partition: most records are equal. A dump lacks records that compaction removed before it was made, "
    "aborted records, and what its tool left out or changed."
)

detector = Detector(
    id="copies-differ",
    title="Copies of a partition differ",
    find=find,
    describe=describe,
    headline=clause("{count} from the best one", "copy differs", "copies differ"),
    rows_of="records",
    scope="partition",
    needs=frozenset({"offset", "key"}),
    absent=absent,
)
