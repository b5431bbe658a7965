"""Content UPDATE without content: compaction keeps it and takes the record that held the content.

Innocent: a record that compaction keeps holds the content before the last copy of every artifact record that needs
it. Page: docs/detectors/content-null-update.md
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from spark.detectors import Detector, located
from spark.detectors.apicurio import _content_effects as happens
from spark.detectors.apicurio import _content_words as words
from spark.detectors.apicurio._content_appends import appends
from spark.detectors.apicurio._content_facts import collect
from spark.detectors.apicurio._content_headline import headline
from spark.detectors.apicurio._contents import Case, harmed
from spark.detectors.apicurio._repair import rest_path
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_columns, replica_of
from spark.tables.store import ResultTables
from spark.terms.findings import Finding

# Only what concerns contents: their records, restarts, the very first record, versions, what replay refused, and the
# nulls that a start wrote for that. A partition without an empty UPDATE is left out whole.
FACTS = """
    WITH suspects AS (
        SELECT DISTINCT topic, partition, replica FROM entries
        WHERE entry_type = 'Content' AND entry_action = 'update'
    ),
    facts AS (
        SELECT topic, partition, replica, 'entries' AS "table", "offset", entry_type AS type, entry_action AS action,
            NULL AS entity_id, CASE WHEN entry_type LIKE 'Content%' THEN attributes END AS attributes, NULL AS needs
        FROM entries WHERE entry_type IN ('Content', 'ContentV2') OR entry_action = 'restart' OR "offset" = 0
        UNION ALL
        SELECT topic, partition, replica, 'state', valid_from_offset, entity_type,
            CASE WHEN valid_to_offset IS NULL THEN 'held' ELSE 'gone' END, entity_id, attributes, NULL
        FROM state WHERE view = 'log' AND entity_type = 'version'
        UNION ALL
        SELECT topic, partition, replica, 'refusals', "offset", entity_type, reason, entity_id, NULL, needs
        FROM refusals WHERE view = 'log' AND entity_type IN ('version', 'content')
        UNION ALL
        SELECT topic, partition, replica, 'times', "offset", NULL, NULL, NULL, NULL, CAST(timestamp_ms AS VARCHAR)
        FROM lifelines WHERE (kind = 'restart' OR entry_type = 'Content') AND timestamp_ms >= 0
        UNION ALL
        SELECT n.topic, n.partition, n.replica, 'nulls', n."offset", NULL, NULL, r.entity_id, NULL, NULL
        FROM refusals AS r
        JOIN lifelines AS l USING (topic, partition, replica, "offset")
        JOIN lifelines AS n
            ON (n.topic, n.partition, n.replica, n."offset") = (l.topic, l.partition, l.replica, l.superseded_by)
        JOIN entries AS e ON (e.topic, e.partition, e.replica, e."offset") = (r.topic, r.partition, r.replica, r."offset")
        WHERE r.view = 'log' AND r.entity_type = 'version' AND e.entry_action = 'update' AND n.kind = 'tombstone'
    )
    SELECT * FROM facts SEMI JOIN suspects USING (topic, partition, replica)
    ORDER BY topic, partition, replica, "offset"
"""


# Where a start of a registry stops in a copy of a partition.
CORRUPT = (
    f"SELECT {REPLICA_COLUMNS}, min(base_offset) AS corrupt_offset FROM batches WHERE NOT crc_ok GROUP BY ALL"
)


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per content (hash and id) that an empty UPDATE took or will take."""
    facts = tables.rows(FACTS)
    corrupt = {replica_of(row): row["corrupt_offset"] for row in tables.rows(CORRUPT)} if facts else {}
    for replica, rows in groupby(facts, replica_of):
        for case in harmed(collect(rows)):
            yield {**replica_columns(replica), "case": case, "corrupt_offset": corrupt.get(replica)}


def describe(row: Row) -> Finding:
    case: Case = row["case"]
    return Finding(
        detector=detector.id,
        severity=words.severity(case),
        title=words.title(case),
        explanation=words.explanation(case),
        **located(row, *case.updates),
        confidence="proven" if case.status == "at_risk" or case.needs else "likely",
        entity=f"{case.content}#{case.content_id}",
        evidence=words.evidence(case),
        remedy=remedy(case, row["topic"], row["corrupt_offset"]),
        references=detector.references,
        entities=words.entities(case),
        effects=happens.effects(case),
        event=happens.event(case),
        facts={"is_recreated": case.is_recreated},
        since_ms=case.emptied_ms,
        loses_later=case.status == "at_risk",
    )


def remedy(case: Case, topic: str, corrupt_offset: int | None) -> str:
    """Content first, then the records that need it."""
    return detector.remedy(
        topic=topic,
        the_content_is_lost=not case.has_bytes and not case.again,
        path_of_the_content=rest_path(
            [] if case.is_recreated else [version.label for version in case.needs], case.content_id
        ),
        a_batch_is_corrupt=corrupt_offset is not None,
        corrupt_offset=corrupt_offset,
        append_these_records=appends(case),
    )


detector = Detector(
    id="content-null-update",
    title="UPDATE without content",
    find=find,
    describe=describe,
    headline=headline,
    dialects=("apicurio-v2",),
    rows_of="entries",
    scope="partition",
    one_cause="burst",
    incident=happens.incident,
)
