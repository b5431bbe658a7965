"""Orphan content: a content that no artifact record asks for.

medium  an older dump has a version with it that no record deletes; its GlobalId was drawn and no record has it; or meta-data
        records of a version without artifact record stand beside it: trace of a version that fell with the first of its
        artifact (secondary loss)
low     nothing else is missing: a create that was given up half-way

Innocent: content of deleted artifacts, whose records stay, or go with a repair that keeps them deleted (then an older dump
tells of the DELETE; or it stands in the log, or an offset is missing where it stood, and nothing else is lost); content at the end, before its artifact record is written;
gaps and unreadable records that may have held the artifact record. Page: docs/detectors/orphan-content.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, located
from spark.detectors._effects import on_entities
from spark.detectors.apicurio import _hash_words as hashes
from spark.detectors.apicurio import _repair as repair
from spark.tables.replica import REPLICA_COLUMNS, Row, same_replica
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, plural, some

MAX_LISTED = 50


# Artifact records name the hash of their content, so that contents and users fall into one group. It is a group of a
# 64-bit hash, for the names themselves would fill the memory; two that share one are not to be expected.
UNNAMED = f"""
    WITH named AS (
        SELECT {REPLICA_COLUMNS}, "offset", entry_type = 'Artifact' AS is_user,
            json_extract_string(attributes, ['$.tenantId', '$.contentHash']) AS names
        FROM entries
        WHERE (entry_type IN ('Content', 'ContentV2') AND contains(attributes, '"has_content":true'))
            OR (entry_type = 'Artifact' AND entry_action IN ('create', 'update', 'import'))
    )
    SELECT {REPLICA_COLUMNS}, min("offset") AS "offset" FROM named WHERE names[2] IS NOT NULL
    GROUP BY {REPLICA_COLUMNS}, hash(coalesce(names[1], '_'), names[2]) HAVING NOT bool_or(is_user)
"""
# Imported artifacts name the id instead. Behind the last artifact record a content may still wait for its own.
ORPHANS = f"""
    WITH blind AS (
        SELECT {REPLICA_COLUMNS}, max("offset") AS blind_to FROM (
            SELECT {REPLICA_COLUMNS}, last_offset AS "offset" FROM gaps WHERE cause NOT IN ('compaction', 'likely compaction', 'retention', 'control')
            UNION ALL
            SELECT {REPLICA_COLUMNS}, "offset" FROM entries
            WHERE decode_error IS NOT NULL AND (entry_type IS NULL OR entry_type = 'Artifact')
        ) GROUP BY ALL
    ),
    ends AS (
        SELECT {REPLICA_COLUMNS}, max("offset") AS last_user FROM entries
        WHERE entry_type = 'Artifact' AND entry_action IN ('create', 'update', 'import') GROUP BY ALL
    ),
    imported AS (
        SELECT {REPLICA_COLUMNS}, coalesce(attributes->>'$.tenantId', '_') AS tenant, attributes->>'$.contentId' AS content_id
        FROM entries WHERE entry_type = 'Artifact' AND entry_action = 'import'
    ),
    unnamed AS (
        SELECT {REPLICA_COLUMNS}, "offset", coalesce(attributes->>'$.tenantId', '_') AS tenant,
            attributes->>'$.contentId' AS content_id, attributes->>'$.contentHash' AS content_hash
        FROM entries SEMI JOIN unnamed_contents USING ({REPLICA_COLUMNS}, "offset") WHERE entry_type IN ('Content', 'ContentV2')
    )
    SELECT unnamed.* FROM unnamed JOIN ends USING ({REPLICA_COLUMNS}) LEFT JOIN blind USING ({REPLICA_COLUMNS})
    ANTI JOIN imported USING ({REPLICA_COLUMNS}, tenant, content_id)
    WHERE unnamed."offset" < last_user AND (blind_to IS NULL OR unnamed."offset" > blind_to)
"""
# The number of a GlobalId record is its id, as long as no reset and no import shifts them and the ids in use agree.
UNUSED_IDS = f"""
    WITH users AS (
        SELECT {REPLICA_COLUMNS}, "offset", coalesce(attributes->>'$.tenantId', '_') AS tenant,
            TRY_CAST(attributes->>'$.globalId' AS BIGINT) AS global_id
        FROM entries WHERE entry_type = 'Artifact' AND entry_action IN ('create', 'update', 'import')
    ),
    drawn AS (
        SELECT {REPLICA_COLUMNS}, "offset", coalesce(attributes->>'$.tenantId', '_') AS tenant, entry_action,
            row_number() OVER (
                PARTITION BY {REPLICA_COLUMNS}, coalesce(attributes->>'$.tenantId', '_') ORDER BY "offset"
            ) AS global_id
        FROM entries WHERE entry_type = 'GlobalId'
    ),
    shifted AS (
        SELECT DISTINCT {REPLICA_COLUMNS}, tenant FROM drawn WHERE entry_action <> 'create'
        UNION
        SELECT DISTINCT users.topic, users.partition, users.replica, users.tenant
        FROM users LEFT JOIN drawn ON (users.topic, users.partition, users.replica, users.tenant, users.global_id)
            = (drawn.topic, drawn.partition, drawn.replica, drawn.tenant, drawn.global_id)
        WHERE drawn."offset" IS NULL OR drawn."offset" > users."offset"
    ),
    numbered AS (
        SELECT {REPLICA_COLUMNS}, tenant, global_id, "offset" AS drawn_offset FROM drawn ANTI JOIN shifted USING ({REPLICA_COLUMNS}, tenant)
    ),
    next_id AS (
        SELECT left_over.topic, left_over.partition, left_over.replica, left_over.tenant, content_hash, global_id,
            drawn_offset
        FROM left_over ASOF JOIN numbered ON left_over.topic = numbered.topic AND left_over.partition = numbered.partition
            AND left_over.replica = numbered.replica AND left_over.tenant = numbered.tenant
            AND left_over."offset" < numbered.drawn_offset
    ),
    unused AS (SELECT * FROM next_id ANTI JOIN users USING ({REPLICA_COLUMNS}, tenant, global_id)),
"""
# Versions with such a content, as older dumps had them, and whether a record deletes them since, there or here. What an older
# dump knows of a content decides; the traces in the journal alone allow only a guess.
USES_IN_OLDER_DUMPS = f"""
    WITH uses AS (
        SELECT {REPLICA_COLUMNS}, coalesce(attributes->>'$.tenantId', '_') AS tenant, attributes->>'$.contentHash' AS content_hash,
            entity_id AS version, dump, origin_offset, deleted_at_offset
        FROM (FROM older_entities UNION ALL BY NAME FROM older_deletions) WHERE entity_type = 'version' AND attributes IS NOT NULL
    )
    SELECT used.*, deleted_at_offset IS NOT NULL
        OR EXISTS (FROM older_deletions WHERE {same_replica("older_deletions", "used")} AND entity_type = 'version'
            AND entity_id = used.version AND older_deletions.deleted_at_offset > used.origin_offset)
        OR EXISTS (FROM deletes WHERE {same_replica("deletes", "used")} AND deletes."offset" > used.origin_offset
            AND (entry_type = 'GlobalAction' OR name = used.version OR starts_with(used.version, name || '/'))) AS is_deleted
    FROM uses AS used SEMI JOIN left_over USING ({REPLICA_COLUMNS}, tenant, content_hash)
"""
# A DELETE that stands, of an artifact or group whose records are gone, may have been that of the content's artifact. So may a
# record that the log no longer has behind the artifact record's own place: a DELETE goes when its key is written again.
# Meta-data of versions beyond those that artifact records account for, of artifacts that have a record or none.
LEFTOVERS = f"""
    deletes AS (
        SELECT {REPLICA_COLUMNS}, "offset", entry_type, entity_id AS name FROM entries
        WHERE starts_with(entry_action, 'delete') AND entry_type IN ('Artifact', 'ArtifactVersion', 'Group', 'GlobalAction')
    ),
    told AS (
        SELECT {REPLICA_COLUMNS}, tenant, content_hash, list(DISTINCT version ORDER BY version) FILTER (NOT is_deleted) AS held,
            any_value(dump) FILTER (NOT is_deleted) AS dump
        FROM ({USES_IN_OLDER_DUMPS}) GROUP BY {REPLICA_COLUMNS}, tenant, content_hash
    ),
    described AS (
        SELECT DISTINCT {REPLICA_COLUMNS}, regexp_replace(entity_id, '/[^/]*$', '') AS artifact, entity_id AS version,
            TRY_CAST(attributes->>'$.version' AS INT) AS number
        FROM entries WHERE entry_type = 'ArtifactVersion' AND entry_action = 'update'
        AND NOT EXISTS (FROM deletes WHERE deletes."offset" > entries."offset" AND {same_replica("deletes", "entries")} AND (
            deletes.name = entity_id OR starts_with(entity_id, deletes.name || '/')))
    ),
    recorded AS (
        SELECT {REPLICA_COLUMNS}, entity_id AS artifact, count(*) AS records FROM entries
        WHERE entry_type = 'Artifact' AND entry_action IN ('create', 'update', 'import') GROUP BY ALL
    ),
    bare AS (
        SELECT {REPLICA_COLUMNS}, list(version ORDER BY version)[:{MAX_LISTED}] AS versions
        FROM described LEFT JOIN recorded USING ({REPLICA_COLUMNS}, artifact)
        WHERE coalesce(records, 0) = 0 OR (number IS NOT NULL AND number > records)
        GROUP BY {REPLICA_COLUMNS}
    ),
    lost AS (
        SELECT {REPLICA_COLUMNS}, list(DISTINCT needs)[:{MAX_LISTED}] AS lost FROM refusals
        WHERE view = 'log' AND is_own AND entity_type = 'version' AND reason LIKE 'content-%' GROUP BY {REPLICA_COLUMNS}
    ),
    removed AS (SELECT {REPLICA_COLUMNS}, max(last_offset) AS removed_to FROM gaps GROUP BY {REPLICA_COLUMNS}),
    deleted AS (
        SELECT {REPLICA_COLUMNS}, max("offset") AS deleted_to FROM (
            SELECT {REPLICA_COLUMNS}, "offset", name FROM deletes WHERE entry_type <> 'ArtifactVersion'
            UNION ALL
            SELECT {REPLICA_COLUMNS}, deleted_at_offset, entity_id FROM older_deletions
            WHERE attributes IS NULL AND entity_type IN ('artifact', 'group')
        ) WHERE coalesce(name, '') NOT IN (SELECT artifact FROM recorded) GROUP BY {REPLICA_COLUMNS}
    ),
    judged AS (
        SELECT left_over.*, global_id, drawn_offset, versions, lost, held, dump,
            CASE WHEN global_id IS NOT NULL OR versions IS NOT NULL OR held IS NOT NULL THEN "offset" END AS trace
        FROM left_over LEFT JOIN unused USING ({REPLICA_COLUMNS}, tenant, content_hash)
        LEFT JOIN bare USING ({REPLICA_COLUMNS}) LEFT JOIN lost USING ({REPLICA_COLUMNS})
        LEFT JOIN removed USING ({REPLICA_COLUMNS}) LEFT JOIN deleted USING ({REPLICA_COLUMNS})
        LEFT JOIN told USING ({REPLICA_COLUMNS}, tenant, content_hash)
        WHERE CASE
            WHEN told.content_hash IS NOT NULL THEN held IS NOT NULL
            WHEN versions IS NOT NULL OR lost IS NOT NULL THEN true
            WHEN global_id IS NULL THEN coalesce(deleted_to, -1) < "offset"
            ELSE greatest(coalesce(removed_to, -1), coalesce(deleted_to, -1)) <= drawn_offset + 1 END
    )
    SELECT {REPLICA_COLUMNS}, trace IS NOT NULL AS is_trace, count(*) AS count, min("offset") AS first_offset,
        max("offset") AS last_offset, any_value(global_id) AS global_id, any_value(drawn_offset) AS drawn_offset,
        any_value(versions) AS versions, any_value(lost) AS lost, any_value(held) AS held, any_value(dump) AS dump,
        list({hashes.CONTENT} ORDER BY "offset")[:{MAX_LISTED}] AS contents
    FROM judged GROUP BY {REPLICA_COLUMNS}, trace ORDER BY {REPLICA_COLUMNS}, first_offset
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per content that is a trace of a loss; one per partition for all others."""
    tables.materialize("unnamed_contents", UNNAMED)
    if not tables.rows("SELECT 1 FROM unnamed_contents LIMIT 1"):
        return []
    tables.materialize("left_over", ORPHANS)
    return tables.rows(UNUSED_IDS + LEFTOVERS) if tables.rows("SELECT 1 FROM left_over LIMIT 1") else []


def describe(row: Row) -> Finding:
    contents = row["contents"]
    drawn = [row["drawn_offset"]] if row["drawn_offset"] is not None else []
    artifacts = (
        {repair.artifact_of(version) for version in (*(row["versions"] or ()), *(row["held"] or ()))}
        if row["is_trace"]
        else set()
    )
    return Finding(
        detector=detector.id,
        severity="medium" if row["is_trace"] else "low",
        effects=on_entities(
            "lost", "version-of-content", [contents[0]["content_id"]] if row["is_trace"] else []
        ),
        title=title(row),
        explanation=trace(row) if row["is_trace"] else half_way(row),
        **located(row),
        confidence="likely" if row["is_trace"] and not row["held"] else "proven",
        entity=f"{hashes.content_entity(contents[0])}#orphan" if row["is_trace"] else "orphans",
        evidence=[*hashes.offsets(contents), *drawn],
        remedy=remedy(row),
        references=detector.references,
        entities={hashes.content_entity(content) for content in contents}
        | {f"artifact:{artifact}" for artifact in artifacts}
        | (set(row["lost"] or []) if row["is_trace"] else set())
        | {"topic:elsewhere"},  # what used it may lie in another partition
    )


def title(row: Row) -> str:
    """One sentence a ticket can quote."""
    if not row["is_trace"]:
        named = hashes.contents_named(row["contents"])
        return (
            f"No artifact record uses {named if row['count'] == 1 else plural(row['count'], 'content item')}"
        )
    content = row["contents"][0]
    return f"An artifact version is lost: no artifact record uses content {marked.entity(content['content_id'], 'content')} at offset {marked.offset(content['offset'])}"


def trace(row: Row) -> str:
    """What is left of the version, and how it went."""
    content = row["contents"][0]
    traces = []
    if row["held"]:
        versions = some([marked.quote(version) for version in row["held"]])
        traces.append(
            f"The older dump {marked.replica(row['dump'])} contains {versions} with this content, and no record deletes {'it' if len(row['held']) == 1 else 'them'}."
        )
    if row["global_id"] is not None:
        traces.append(
            f"No artifact record uses globalId {marked.name(row['global_id'])} either, drawn at offset {marked.offset(row['drawn_offset'])}."
        )
    if row["versions"]:
        traces.append(
            f"Metadata of {some([marked.quote(version) for version in row['versions']])} exists without an artifact record."
        )
    return (
        f"No artifact record uses content {marked.entity(content['content_id'], 'content')} (contentHash {marked.hash_of(content['content_hash'])}). "
        f"{' '.join(traces)} So a version was written and its artifact record is missing. This happens if the first version "
        "of an artifact loses its content. At its next start, the registry rejects the later versions and writes a tombstone "
        "for the key of each. Compaction then removes them, even though their content is intact. If two nodes create a version "
        "at the same time, the rejected create leaves the same trace."
    )


def half_way(row: Row) -> str:
    """Why such contents are harmless."""
    return (
        f"Unused: {hashes.contents_named(row['contents'])}. The registry writes content before the record of the artifact version "
        "that uses it. The registry stopped between the two, or the create failed. Deleted artifacts do not cause this: their "
        "artifact records stay in the journal, unless a repair removes them. No data is missing. Unused content takes disk space."
    )


def headline(findings: list[Finding]) -> str:
    """`2 artifact versions are lost: no artifact record uses their content`."""
    lost = sum(finding.severity == "medium" for finding in findings)
    if not lost:
        return "no artifact uses some content"
    are, its = ("is", "its") if lost == 1 else ("are", "their")
    return f"{plural(lost, 'artifact version')} {are} lost: no artifact record uses {its} content"


def remedy(row: Row) -> str:
    """The variant that fits."""
    if not row["is_trace"]:
        return detector.remedy("Unused content")
    content, global_id = row["contents"][0], row["global_id"]
    return detector.remedy(
        "Trace of a loss",
        topic=row["topic"],
        content_hash=content["content_hash"],
        global_id="the globalId it had" if global_id is None else f"globalId {marked.name(global_id)}",
        offset_of_the_content=at_offsets([content["offset"]]),
    )


detector = Detector(
    id="orphan-content",
    title="Content that no artifact uses",
    find=find,
    describe=describe,
    headline=headline,
    dialects=("apicurio-v2",),
    rows_of="entries",
    scope="partition",
    follows=("content-null-update", "dangling-content-hash", "gone-since-older-dump", "several-partitions"),
)
