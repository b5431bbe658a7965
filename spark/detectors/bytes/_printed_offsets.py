"""Offsets at which outputs without batches print different records. Equal records are one, and are counted once before.

Outputs of one file format are compared: other tools print the same timestamp, key and value in other ways. Records differ in their timestamps
or in their values; a value that is the beginning of the other one was cut. What a service logs of an object tells nothing by its text: there
the size of the value counts. Outputs without a topic's name may be of different topics, those of two clusters are.
"""

from __future__ import annotations

from spark.detectors import _words as words
from spark.detectors import located
from spark.sources import LACKS
from spark.stages.partition_folders import OF_A_CLUSTER, UNKNOWN_TOPIC
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import listed, plural, some
from spark.units.pages import page, remedy

OBJECTS = (
    "('consumer-record', 'connect-record', 'spring-message')"  # print keys and values by their own `toString`
)
RANGES_NAMED = 3
PRINTED = f"""
    SELECT file, name, layout FROM files
    WHERE kind = 'export' AND list_contains(cannot_tell, '{LACKS["batches"]}')
        AND NOT list_contains(cannot_tell, '{LACKS["offset"]}') AND NOT list_contains(cannot_tell, '{LACKS["partition"]}')
"""
SCOPE = f"""
    topic, partition, layout, regexp_extract(replica, '{OF_A_CLUSTER}', 1) AS cluster, CASE WHEN topic = '{UNKNOWN_TOPIC}' THEN file END AS scope
"""
# Does any run of offsets begin before another one of its partition ends?
ANY_OVERLAP = f"""
    WITH placed AS (SELECT {SCOPE}, first_offset, last_offset FROM runs JOIN ({PRINTED}) USING (file))
    SELECT 1 FROM placed QUALIFY first_offset <= max(last_offset) OVER (
        PARTITION BY topic, partition, layout, cluster, scope ORDER BY first_offset, last_offset
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    LIMIT 1
"""
DIFFERENT_RECORDS = f"""
    WITH placed AS (
        SELECT {SCOPE}, "offset", name, replica, timestamp_ms, value_size_bytes,
            CASE WHEN layout IN {OBJECTS} THEN NULL ELSE hex(value) END AS printed_value
        FROM records JOIN ({PRINTED}) USING (file)
    ),
    different AS (
        SELECT topic, partition, layout, cluster, scope, "offset", list(DISTINCT name ORDER BY name) AS names, min(replica) AS replica
        FROM placed GROUP BY ALL
        HAVING count(*) > 1 AND (count(DISTINCT timestamp_ms) > 1
            OR (layout IN {OBJECTS} AND count(DISTINCT value_size_bytes) > 1)
            OR NOT starts_with(max(printed_value), min(printed_value)))
    ),
    runs_of_offsets AS (
        SELECT topic, partition, layout, cluster, scope, min(replica) AS replica, list_distinct(flatten(list(names))) AS names,
            min("offset") AS first_offset, max("offset") AS last_offset, count(*) AS differing, list("offset" ORDER BY "offset")[:20] AS evidence
        FROM (SELECT *, "offset" - row_number() OVER (PARTITION BY topic, partition, layout, cluster, scope ORDER BY "offset") AS run
            FROM different)
        GROUP BY topic, partition, layout, cluster, scope, run
    )
    SELECT topic, partition, min(replica) AS replica, list_sort(list_distinct(flatten(list(names)))) AS names,
        min(first_offset) AS first_offset, max(last_offset) AS last_offset, sum(differing)::BIGINT AS differing,
        list([first_offset, last_offset] ORDER BY first_offset) AS ranges, flatten(list(evidence ORDER BY first_offset))[:20] AS evidence
    FROM runs_of_offsets GROUP BY topic, partition, layout, cluster, scope ORDER BY ALL
"""
CAUSES = (
    "A partition has one record at each offset. The outputs are of two logs: of two clusters, of a topic that was deleted and created again, "
    "or of a log that a new leader truncated between them."
)


def describe(row: Row, detector: str) -> Finding:
    one_text = len(row["names"]) == 1
    prints = "prints" if one_text else "print"
    many = plural(row["differing"], "offset")
    ranges = some([words.offsets(first, last) for first, last in row["ranges"]], RANGES_NAMED)
    return Finding(
        detector=detector,
        severity="critical",
        title=f"{marked.partition(row['topic'], row['partition'])} contains {ranges} twice, with different records",
        explanation=f"{listed([marked.file(name) for name in row['names']])} {prints} two different records at {many}. {CAUSES}",
        **located(row),
        evidence=words.some(row["evidence"]),
        remedy=remedy(detector, "Outputs of tools"),
        references=page("detectors", detector).references,
    )
