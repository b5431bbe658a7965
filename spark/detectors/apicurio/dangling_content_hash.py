"""Artifact version without its content: the registry drops its record at every start.

Innocent: the same artifact record stands again after the content; the artifact was deleted later.
Page: docs/detectors/dangling-content-hash.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.apicurio import _repair as repair
from spark.detectors.apicurio._content_appends import nothing_for
from spark.detectors.apicurio._content_facts import FALLEN, LACKING
from spark.detectors.apicurio._content_headline import AFTER_RESTART, AT_RESTART
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import version_name

# A content without any record may have lain at the start of the log, or lies in another partition.
NOT_HERE = frozenset(("head", "topic:elsewhere"))

# One row per dropped version, with the later versions of its artifact that fell with it.
# Offsets stand in the order of the log; what fell with a first version is told with the first of those that lack.
DROPPED_VERSIONS = f"""
    WITH dropped AS (
        SELECT *, regexp_replace(entity_id, '/[^/]*$', '') AS artifact
        FROM refusals WHERE view = 'log' AND entity_type = 'version' AND reason IN {(*LACKING, FALLEN)}
    ),
    lacking AS (
        SELECT *, min("offset") OVER (PARTITION BY topic, partition, replica, artifact) AS first_offset
        FROM dropped WHERE reason <> '{FALLEN}'
    ),
    fallen AS (
        SELECT topic, partition, replica, artifact,
            list({{'offset': "offset", 'entity_id': entity_id}} ORDER BY "offset") AS fallen
        FROM dropped WHERE reason = '{FALLEN}' GROUP BY ALL
    ),
    held AS (
        SELECT topic, partition, replica, entity_id, max((attributes ->> '$.record_offset')::BIGINT) AS record_offset
        FROM state WHERE view = 'log' AND entity_type = 'version' AND valid_to_offset IS NULL GROUP BY ALL
    )
    SELECT lacking.* EXCLUDE (first_offset), CASE WHEN "offset" = first_offset THEN fallen END AS fallen,
        CASE WHEN record_offset > "offset" THEN record_offset END AS again_offset
    FROM lacking LEFT JOIN fallen USING (topic, partition, replica, artifact)
    LEFT JOIN held USING (topic, partition, replica, entity_id)
    ORDER BY topic, partition, replica, "offset"
"""


def describe(row: Row) -> Finding:
    content = row["needs"]
    offset = row["offset"]
    available = row.get("available_from_offset")
    name = version_name(row["entity_id"])
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"Artifact {name} returns {AFTER_RESTART}: {why(row)}"
        if row.get("again_offset") is None
        else f"Artifact {name} returns 404 by its IDs, {AT_RESTART}: {why(row)}; created again at offset {marked.offset(row['again_offset'])} with other IDs",
        explanation=explanation(row),
        **located(row, offset),
        entity=f"version:{row['entity_id']}@{content}",
        evidence=[offset] if available is None else [offset, available],
        effects=[Effect("unreadable", "version", row["entity_id"])],
        remedy=remedy(row),
        references=detector.references,
        entities={content, *(NOT_HERE if row["reason"] == "content-missing" else ())},
    )


def why(row: Row) -> str:
    """Why the content cannot be used, as a clause."""
    record = f"its artifact record (offset {marked.offset(row['offset'])})"
    if row["reason"] == "content-later":
        return f"its content (offset {marked.offset(row['available_from_offset'])}) comes after {record}"
    if row["reason"] == "content-null":
        return f"{record} refers to content that exists only as an UPDATE without content"
    return f"{record} refers to content that no record contains"


def explanation(row: Row) -> str:
    """What the registry does with the record."""
    content = content_words(row["needs"])
    rejected = (
        f"The artifact record at offset {marked.offset(row['offset'])} refers to {content}. {lack(row)} At every start, the registry does not "
        "find the content and rejects the record. The registry logs the rejection at debug level only. Requests for this version, its rules and "
        "its comments then return 404."
    )
    fallen = [version["entity_id"] for version in row.get("fallen") or []]
    return "\n".join([rejected, repair.secondary_loss(fallen, False)] if fallen else [rejected])


def lack(row: Row) -> str:
    """What the journal has of the content, as a sentence."""
    if row["reason"] == "content-later":
        return f"The journal contains it only after the artifact record, at offset {marked.offset(row.get('available_from_offset'))}."
    if row["reason"] == "content-null":
        return "The journal contains records of this content, but none with its bytes."
    return "The journal contains no record of this content."


def content_words(needs: str) -> str:
    """The content's name as people know it."""
    text = needs.rpartition("/")[2]
    return (
        f"contentId {marked.entity(text[1:], 'content')}"
        if text.startswith("#")
        else f"contentHash {marked.hash_of(text)}"
    )


def remedy(row: Row) -> str:
    """Content first, then the records that need it."""
    is_lost = row.get("available_from_offset") is None
    again, fallen = row.get("again_offset"), [version["offset"] for version in row.get("fallen") or []]
    content = "Append the Content CREATE with that content" if is_lost else None
    text = "from an older dump" if is_lost else f"at offset {marked.offset(row['available_from_offset'])}"
    return detector.remedy(
        topic=row["topic"],
        the_content_is_lost=is_lost and again is None,
        path_of_the_content=repair.rest_path([row["entity_id"]]),
        append_these_records=repair.append_again([row["offset"], *fallen], content)
        if again is None
        else nothing_for([row["offset"]], [again], text, fallen),
    )


detector = Detector(
    id="dangling-content-hash",
    title="Artifact without content",
    find=query(DROPPED_VERSIONS),
    describe=describe,
    headline=clause(
        "{count} content is missing",
        f"artifact version returns {AFTER_RESTART}: its",
        f"artifact versions return {AFTER_RESTART}: their",
    ),
    dialects=("apicurio-v2",),
    follows=(
        "content-null-update",
        "id-collision",
        "deleted-by-retention",
        "missing-head",
        "several-partitions",
    ),
    rows_of="refusals",
    scope="partition",
)
