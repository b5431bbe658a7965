"""Replay of many entries in SQL, for artifacts and contents whose history holds nothing special.

An artifact is *plain* if the registry accepts all its records and numbers its versions itself: created, changed, described,
given rules, owners and comments, deleted, created again. A content is plain if a single record names its hash, and its id.
Their rows come from window functions over all entries; the others go through the reader, whose rules are authoritative. In
doubt an artifact is not plain:

    a record has strange members, or a form that older releases or imports write                is_odd
    it acts on an artifact, version, rule or comment that is not there, or makes one that is    ODD
    a version's content is not plain, or comes later; its globalId occurs elsewhere             ODD
    a comment is there when the artifact is deleted; a record deletes the group                 ODD

A clean-up of contents concerns other artifacts, but from 2.4.0 to 2.5.8 it does nothing while any version exists. So the reader
takes everything up to the last record that concerns others (`is_far`), and up to the last delete after which no plain
version exists. From 2.5.9 on each delete removes contents: of such a journal the reader takes
everything, as where tenants are several or names can be mistaken for others (`is_strange`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from spark.dialects._bulk import PlainHistories, are_loaded, number_of, offsets_of, opened
from spark.dialects.apicurio_v2.bulk_rows import GROUP, ROWS, with_members
from spark.dialects.apicurio_v2.registry import Elsewhere
from spark.dialects.apicurio_v2.sequences import SEQUENCES

MAX_ROUNDS = 8
DEEDS = {
    "Artifact create": "create", "Artifact update": "update", "Artifact delete": "delete", "Artifact tombstone": "tombstone",
    "ArtifactVersion update": "describe", "ArtifactVersion delete": "remove", "ArtifactOwner update": "owner",
    "ArtifactRule create": "rule", "ArtifactRule update": "other rule", "ArtifactRule delete": "no rule",
    "Comment create": "comment", "Comment update": "other comment", "Comment delete": "no comment",
}  # fmt: skip
DRAWS = "'GlobalId', 'ContentId', 'CommentId'"
ATTACHED = "'ArtifactVersion', 'ArtifactRule', 'ArtifactOwner', 'Comment'"
READ = "coalesce(entry_action, '') <> '' AND coalesce(attributes, '') <> ''"  # the reader skips the others
LEFT = f"{READ} AND entry_action <> 'tombstone'"  # nulls change artifacts alone
TABLES = """
    CREATE TEMP TABLE writes (
        "offset" BIGINT, deed VARCHAR, artifact UBIGINT, "group" UBIGINT, version BIGINT, id BIGINT, content UBIGINT,
        content_id BIGINT, member UBIGINT, name VARCHAR, said VARCHAR, is_odd BOOLEAN, is_far BOOLEAN, is_strange BOOLEAN
    );
    CREATE TEMP TABLE contents (
        "offset" BIGINT, content UBIGINT, content_id BIGINT, is_odd BOOLEAN, is_far BOOLEAN, is_strange BOOLEAN
    );
    CREATE TEMP TABLE draws ("offset" BIGINT, kind VARCHAR, is_far BOOLEAN);
    CREATE TEMP TABLE others ("offset" BIGINT, "group" UBIGINT, is_far BOOLEAN, is_strange BOOLEAN)
"""


def is_text(*names: str, or_absent: bool = False) -> str:
    return " AND ".join(f"coalesce(starts_with({name}, '\"'), {or_absent})" for name in names)


def is_number(text: str, or_absent: bool = False) -> str:
    """Whether a text is a decimal number as Python writes it."""
    return f"coalesce(regexp_full_match({text}, '0|[1-9][0-9]{{0,17}}'), {or_absent})"


DEED = f"""coalesce(CASE concat(entry_type, ' ', entry_action)
    {" ".join(f"WHEN '{act}' THEN '{deed}'" for act, deed in DEEDS.items())} END, '')"""
# A text with a backslash may be spelled in several ways. Other releases write the action as a text.
IS_SPELLED = r"contains(attributes, '\')"
OF_OTHER_TENANT = """coalesce(m.tenantId, '"_"') <> '"_"'"""
IS_FAR = is_text("m.action")
# Names are joined with slashes: of two groups `a` and `a/b` both may hold `a/b/c`.
IS_PLACED = f"""{is_text("m.artifactId")} AND {is_text("m.groupId", or_absent=True)}
    AND NOT contains(concat(m.groupId, m.version, {{further}}), '/')"""
INTO_WRITES = f"""
    INSERT INTO writes
    WITH typed AS (
        SELECT *, {DEED} AS deed
        FROM ({with_members("artifact", f"entry_type = 'Artifact' AND {READ}")})
    )
    SELECT "offset", deed, hash({GROUP}, m.artifactId), hash({GROUP}), NULL,
        TRY_CAST(m.globalId AS BIGINT), hash(m.contentHash), TRY_CAST(m.contentId AS BIGINT), NULL, NULL, NULL,
        {IS_SPELLED} OR NOT CASE
            WHEN deed IN ('create', 'update') THEN {is_text("m.contentHash", "m.artifactType")} AND {is_number("m.globalId")}
                AND {is_text("m.uuid", "m.createdBy", "m.state", "m.metaData.name", or_absent=True)}
                AND {is_number("m.createdOn", or_absent=True)} AND m.version IS NULL AND m.versionId IS NULL
            WHEN deed = 'tombstone' THEN NOT contains(attributes, '"action"')
            ELSE deed = 'delete'
        END,
        {IS_FAR} OR coalesce(m.globalId = '-1', false),
        {OF_OTHER_TENANT} OR NOT ({IS_PLACED.format(further="NULL")} AND {is_text("m.contentHash", or_absent=True)})
            OR coalesce(m.globalId, '') IN ('true', 'false')
    FROM typed
"""
# Versions and comments have numbers, or texts of them.
INTO_WRITES_OF_ATTACHED = f"""
    INSERT INTO writes
    WITH typed AS (
        SELECT *, {DEED} AS deed, trim(m.version, '"') AS version, trim(m.commentId, '"') AS comment
        FROM ({with_members("attached", f"entry_type IN ({ATTACHED}) AND {LEFT}")})
    )
    SELECT "offset", deed, hash({GROUP}, m.artifactId), hash({GROUP}), TRY_CAST(version AS BIGINT), NULL, NULL, NULL,
        CASE entry_type WHEN 'ArtifactRule' THEN hash(m.ruleType) WHEN 'Comment' THEN TRY_CAST(comment AS UBIGINT) END,
        CASE deed WHEN 'describe' THEN m.metaData.name END,
        CASE deed WHEN 'describe' THEN nullif(m.state, '""') WHEN 'owner' THEN m.owner END,
        {IS_SPELLED} OR NOT CASE
            WHEN deed = 'describe' THEN {is_number("version")} AND {is_text("m.metaData.name")} AND {is_text("m.state", or_absent=True)}
            WHEN deed IN ('rule', 'other rule') THEN {is_text("m.ruleType", "m.config.configuration")}
            WHEN deed = 'no rule' THEN {is_text("m.ruleType")}
            WHEN deed = 'owner' THEN {is_text("m.owner")}
            WHEN deed = 'comment' THEN {is_number("comment")} AND {is_number("version")} AND {is_text("m.text", or_absent=True)}
                AND {is_number("m.createdOn", or_absent=True)} AND coalesce(m.createdBy = '""', true)
            WHEN deed = 'no comment' THEN {is_number("comment")}
            ELSE false
        END,
        {IS_FAR} OR entry_type = 'Comment' AND entry_action = 'import',
        {OF_OTHER_TENANT} OR NOT ({IS_PLACED.format(further="m.ruleType")})
    FROM typed
"""
INTO_CONTENTS = f"""
    INSERT INTO contents
    SELECT "offset", hash(m.contentHash), TRY_CAST(m.contentId AS BIGINT),
        {IS_SPELLED} OR NOT (
            entry_action = 'create' AND coalesce(m.has_content = 'true', false) AND {is_number("m.contentId")}
            AND {is_text("m.canonicalHash", or_absent=True)} AND {is_number("m.content_size_bytes")}
            AND coalesce(contains(attributes, m."references"), true)
        ),
        {IS_FAR}, {OF_OTHER_TENANT} OR NOT {is_text("m.contentHash")} OR coalesce(m.contentId, '') IN ('true', 'false')
    FROM ({with_members("content", f"entry_type = 'Content' AND {LEFT}")})
"""
INTO_DRAWS = f"""
    INSERT INTO draws
    SELECT "offset", entry_type, entry_action <> 'create' OR CASE
        WHEN starts_with(attributes, '{{"tenantId":"_"') THEN false
        ELSE coalesce(nullif(json_extract(attributes, '$.tenantId')::VARCHAR, 'null'), '"_"') <> '"_"' END
    FROM portion WHERE entry_type IN ({DRAWS}) AND {READ}
"""
IS_UPGRADE = "entry_type IN ('ContentV2', 'Upgrader')"
INTO_OTHERS = f"""
    INSERT INTO others
    SELECT "offset", CASE WHEN entry_type = 'Group' AND entry_action = 'delete' THEN hash({GROUP}) END,
        entry_type = 'GlobalAction' OR {is_text("m.action")},
        {IS_UPGRADE} OR entry_type = 'Group' AND NOT {is_text("m.groupId", or_absent=True)}
    FROM ({
    with_members(
        "other",
        f"entry_type NOT IN ('Artifact', {ATTACHED}, {DRAWS}, 'Content') AND ({IS_UPGRADE} OR {READ})",
    )
})
"""
IS_STRANGE = """
    SELECT coalesce(bool_or(is_strange), false) FROM (
        SELECT is_strange FROM writes UNION ALL SELECT is_strange FROM contents UNION ALL SELECT is_strange FROM others)
"""
FAR = """
    SELECT coalesce(max("offset"), -1) FROM (
        SELECT "offset" FROM writes WHERE is_far UNION ALL SELECT "offset" FROM contents WHERE is_far
        UNION ALL SELECT "offset" FROM draws WHERE is_far UNION ALL SELECT "offset" FROM others WHERE is_far)
"""
# `ended`: the delete that ends this life of the artifact. `highest`: its versions so far in this life.
FOLLOWED = """
    CREATE TEMP TABLE followed AS
    WITH lives AS (
        SELECT *,
            coalesce(lag(CASE WHEN deed IN ('create', 'delete') THEN deed = 'create' END IGNORE NULLS) OVER own, false)
                AS is_there,
            CASE WHEN deed = 'delete' THEN "offset"
                ELSE lead(CASE WHEN deed = 'delete' THEN "offset" END IGNORE NULLS) OVER own END AS ended
        FROM writes WINDOW own AS (PARTITION BY artifact ORDER BY "offset")
    )
    SELECT *, count(CASE WHEN deed IN ('create', 'update') THEN 1 END) OVER
        (PARTITION BY hash(artifact, ended) ORDER BY "offset" ROWS UNBOUNDED PRECEDING) AS highest
    FROM lives
"""
# A row for each record and entity that it concerns.
PUTS = """
    CREATE TEMP TABLE puts AS
    WITH concerned AS (
        SELECT *, 'version' AS entity, TRY_CAST(CASE deed WHEN 'describe' THEN version ELSE highest END AS UBIGINT) AS place
        FROM followed WHERE deed IN ('create', 'update', 'describe')
        UNION ALL SELECT *, 'artifact', 0::UBIGINT FROM followed WHERE deed IN ('create', 'owner')
        UNION ALL SELECT *, 'artifact-rule', member FROM followed WHERE deed IN ('rule', 'other rule', 'no rule')
        UNION ALL SELECT *, 'comment', member FROM followed WHERE deed IN ('comment', 'no comment')
    )
    SELECT artifact, deed, entity, place, ended, id, "offset", name,
        CASE entity WHEN 'artifact-rule' THEN "offset" ELSE first_value("offset") OVER own END AS source,
        first_value(content) OVER own AS content, lag(deed) OVER own AS former, lead("offset") OVER own AS following,
        last_value(said IGNORE NULLS) OVER own AS said
    FROM concerned
    WINDOW own AS (PARTITION BY hash(artifact, ended, entity, place) ORDER BY "offset")
"""
SINGLE = """
    CREATE TEMP TABLE single AS
    SELECT "offset", content, content_id FROM contents
    QUALIFY NOT is_odd AND count(*) OVER (PARTITION BY content) = 1 AND count(*) OVER (PARTITION BY content_id) = 1
"""
ODD = """
    CREATE OR REPLACE TEMP TABLE odd AS
    SELECT artifact FROM followed
    WHERE is_odd OR deed <> 'tombstone' AND is_there = (deed = 'create')
        OR deed = 'comment' AND version NOT BETWEEN 1 AND highest
    UNION SELECT artifact FROM puts
    WHERE CASE
        WHEN deed = 'comment' THEN former IS NOT NULL OR following IS NULL AND ended IS NOT NULL
        WHEN deed IN ('create', 'update', 'rule') THEN former <> 'no rule'
        WHEN deed IN ('other rule', 'no rule') THEN coalesce(former, 'no rule') = 'no rule'
        WHEN deed = 'no comment' THEN coalesce(former, '') <> 'comment'
        ELSE former IS NULL
    END
    UNION SELECT artifact FROM followed LEFT JOIN single USING (content)
    WHERE deed IN ('create', 'update') AND NOT coalesce(single."offset" BETWEEN {since} + 1 AND followed."offset", false)
    UNION SELECT artifact FROM followed SEMI JOIN (
        SELECT id FROM followed WHERE id IS NOT NULL GROUP BY id HAVING count(*) > 1) USING (id)
    UNION SELECT artifact FROM followed SEMI JOIN (
        SELECT member FROM followed WHERE deed IN ('comment', 'other comment', 'no comment') GROUP BY member
        HAVING min(artifact) <> max(artifact) OR count(*) FILTER (deed = 'comment') > 1) USING (member)
    WHERE deed IN ('comment', 'other comment', 'no comment')
    UNION SELECT artifact FROM followed SEMI JOIN others USING ("group")
"""
# The last delete after which no plain version exists.
EMPTIED = """
    SELECT coalesce(max("offset") FILTER (is_end AND versions = 0), -1) FROM (
        SELECT "offset", is_end, sum(change) OVER (ORDER BY "offset" ROWS UNBOUNDED PRECEDING) AS versions FROM (
            SELECT "offset", deed = 'delete' AS is_end, CASE deed WHEN 'delete' THEN -highest ELSE 1 END AS change
            FROM followed ANTI JOIN odd USING (artifact) WHERE deed IN ('create', 'update', 'delete')
            UNION ALL SELECT "offset", true, 0 FROM followed SEMI JOIN odd USING (artifact)
            WHERE deed IN ('delete', 'remove') AND "offset" > {since}
            UNION ALL SELECT "offset", true, 0 FROM others WHERE "group" IS NOT NULL AND "offset" > {since}))
"""
# Contents that odd artifacts name are the reader's, too.
PLAIN = """
    CREATE TEMP TABLE plain AS
    WITH special AS (SELECT content, content_id FROM followed SEMI JOIN odd USING (artifact))
    SELECT * FROM single ANTI JOIN special USING (content) ANTI JOIN special AS by_id USING (content_id)
    WHERE "offset" > {since}
"""
REMAINING = """
    SELECT "offset" FROM others
    UNION ALL SELECT "offset" FROM draws WHERE "offset" <= {since}
    UNION ALL SELECT "offset" FROM followed SEMI JOIN odd USING (artifact)
    UNION ALL SELECT "offset" FROM contents ANTI JOIN plain USING ("offset")
    ORDER BY "offset"
"""
INTERVALS = """
    SELECT source, "offset" AS valid_from_offset, coalesce(following, ended) AS valid_to_offset, entity, place, content_id,
        deed = 'describe' AS is_described, name, said
    FROM puts ANTI JOIN odd USING (artifact) LEFT JOIN (SELECT content, content_id FROM single) USING (content)
    WHERE deed NOT IN ('no rule', 'no comment')
    UNION ALL SELECT "offset", "offset", NULL, 'content', NULL, content_id, NULL, NULL, NULL FROM plain
    ORDER BY source
"""
DRAWN = """SELECT kind, count(*), max("offset") FROM draws WHERE "offset" > {since} GROUP BY kind"""
HIGHEST = """
    SELECT 'contentId', max(content_id) FROM plain
    UNION ALL SELECT 'globalId', max(id) FROM followed ANTI JOIN odd USING (artifact) WHERE ended IS NULL
    UNION ALL SELECT 'commentId', max(place) FROM puts ANTI JOIN odd USING (artifact)
    WHERE deed = 'comment' AND following IS NULL
"""


@dataclass
class PlainArtifacts(PlainHistories):
    """The result for the plain artifacts and contents of a journal."""

    elsewhere: Elsewhere


def bulk(entries: Iterable[pa.Table]) -> PlainArtifacts | None:
    """The result for what is plain among all entries of a partition; None where the reader must take all of them."""
    with opened() as connection:
        connection.execute(TABLES)
        loading = (INTO_WRITES, INTO_WRITES_OF_ATTACHED, INTO_CONTENTS, INTO_DRAWS, INTO_OTHERS)
        if not are_loaded(entries, connection, *loading) or number_of(connection, IS_STRANGE):
            return None
        since, emptied, rounds = -1, number_of(connection, FAR), 0
        for query in (FOLLOWED, "DROP TABLE writes", PUTS, SINGLE):
            connection.execute(query)
        while rounds == 0 or emptied > since:
            if rounds == MAX_ROUNDS:
                return None
            since, rounds = emptied, rounds + 1
            connection.execute(ODD.format(since=since))
            emptied = number_of(connection, EMPTIED.format(since=since))
        connection.execute(PLAIN.format(since=since))
        drawn = {
            SEQUENCES[kind]: (count, last)
            for kind, count, last in connection.execute(DRAWN.format(since=since)).fetchall()
        }
        numbers = connection.execute(HIGHEST).fetchall()
        elsewhere = Elsewhere(
            since, drawn, {name: highest for name, highest in numbers if highest is not None}
        )
        remaining = offsets_of(connection, REMAINING.format(since=since))
        connection.execute("DROP TABLE followed")
        intervals = connection.sql(INTERVALS).to_arrow_table()
        return PlainArtifacts(intervals, ROWS, ("offset", "attributes"), remaining, elsewhere)
