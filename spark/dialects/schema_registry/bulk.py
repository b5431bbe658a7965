"""Replay of many entries in SQL, for the subjects that all three registries treat alike.

A subject is *plain* if none of them reads an entry of it differently or rejects one: versions, settings and deletions in
their usual forms. Its rows come from window functions over all entries, once for all profiles; the others go through the
readers, whose rules are authoritative. In doubt a subject is not plain:

    the members of an entry are strange, or a registry leaves some out       PARSED, is_odd
    an id has two texts, or a version changes its id                         Confluent: the order matters
    a version is removed while the subject has a level                       Redpanda and Karapace may remove the level too
    DELETE_SUBJECT names a version below an existing one                     Redpanda removes all of them nevertheless

If an entry may stop a reader, that reader reads the whole journal; if one acts beyond its subject, all readers do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from spark.dialects._bulk import PlainHistories, are_loaded, offsets_of, opened

MEMBERS = (
    "subject", "version", "id", "schemaType", "schemaHash", "references", "deleted", "compatibility", "seq", "node",
    "magic", "isNotJson", "effects", "unknownFields", "valueSubject", "valueVersion",
)  # fmt: skip
WRITES = """
    CREATE TEMP TABLE writes (
        "offset" BIGINT, kind VARCHAR, is_set BOOLEAN, subject UBIGINT, version BIGINT, id BIGINT, text UBIGINT,
        is_deleted BOOLEAN, is_odd BOOLEAN, stops_confluent BOOLEAN, stops_redpanda BOOLEAN, misleads_karapace BOOLEAN,
        reaches_far BOOLEAN
    )
"""
# Members stand as the JSON that spells them: a number is not the text of it.
PARSED = f"""
    INSERT INTO writes
    WITH read AS (
        SELECT "offset", entry_type, entry_action, attributes,
            json_extract(attributes, [{", ".join(f"'$.{name}'" for name in MEMBERS)}])::VARCHAR[] AS x
        FROM portion
    ),
    named AS (
        SELECT *, {", ".join(f"x[{position}] AS _{name}" for position, name in enumerate(MEMBERS, 1))} FROM read
    ),
    typed AS (
        SELECT *, coalesce(entry_type, '') AS kind, coalesce(entry_action, '') AS action,
            TRY_CAST(_version AS BIGINT) AS version, TRY_CAST(_id AS BIGINT) AS id,
            coalesce(_seq = "offset"::VARCHAR, _seq IS NULL) AS is_in_sequence
        FROM named
    )
    SELECT "offset", kind, action <> 'delete' AS is_set,
        CASE WHEN _subject <> '""' THEN hash(_subject) END AS subject, version, id,
        CASE WHEN _id IS NOT NULL THEN hash(_schemaType, _schemaHash, _references) END AS text,
        _deleted = 'true' AS is_deleted,
        _effects IS NOT NULL OR coalesce(CASE kind
            WHEN 'SCHEMA' THEN version IS NULL OR version::VARCHAR <> _version OR action <> 'delete' AND NOT (
                action IN ('register', 'soft-delete') AND is_in_sequence AND _isNotJson IS NULL
                AND _references IS NULL AND id >= 0 AND _schemaType IN ('"AVRO"', '"JSON"', '"PROTOBUF"')
            )
            WHEN 'CONFIG' THEN action <> 'delete' AND NOT (
                action = 'set' AND is_in_sequence AND _compatibility IS NOT NULL
            )
            WHEN 'DELETE_SUBJECT' THEN action <> 'delete' AND NOT (
                action = 'delete-subject' AND is_in_sequence AND coalesce(version::VARCHAR = _version, false)
            )
            ELSE true
        END, true) AS is_odd,
        contains(_effects, '"confluent":"fatal"'),
        attributes IS NULL OR _effects IS NOT NULL OR _unknownFields IS NOT NULL
            OR (_seq IS NULL) <> (_node IS NULL) OR TRY_CAST(_seq AS BIGINT)::VARCHAR IS DISTINCT FROM _seq
            OR kind IN ('CONFIG', 'MODE') AND _magic IS DISTINCT FROM '0',
        _schemaType = '"PROTOBUF"' AND _references IS NOT NULL,
        kind = 'CLEAR_SUBJECT' OR _valueSubject IS NOT NULL OR _valueVersion IS NOT NULL
    FROM typed
"""
EXCEPTIONS = """
    SELECT coalesce(bool_or(stops_confluent OR reaches_far), false) AS confluent,
        coalesce(bool_or(stops_redpanda OR reaches_far), false) AS redpanda,
        coalesce(bool_or(misleads_karapace OR reaches_far), false) AS karapace
    FROM writes
"""
FOLLOWED = """
    CREATE TEMP TABLE followed AS
    SELECT "offset", kind, is_set, subject, version, id, text, is_deleted, is_odd,
        last_value(CASE WHEN kind = 'CONFIG' THEN is_set END IGNORE NULLS) OVER before AS has_level,
        max(CASE WHEN kind = 'SCHEMA' AND is_set THEN version END) OVER before AS highest,
        lead(CASE WHEN kind = 'DELETE_SUBJECT' AND is_set THEN "offset" END IGNORE NULLS) OVER following AS marked_at,
        lead("offset") OVER own AS until, lag(is_set) OVER own AS was_set,
        lag(CASE WHEN is_set THEN id ELSE -1 END IGNORE NULLS) OVER own AS former_id
    FROM writes
    WINDOW following AS (PARTITION BY subject ORDER BY "offset"),
        before AS (PARTITION BY subject ORDER BY "offset" ROWS UNBOUNDED PRECEDING),
        own AS (PARTITION BY subject, kind, CASE WHEN kind = 'SCHEMA' THEN version END ORDER BY "offset")
"""
ODD = """
    CREATE TEMP TABLE odd AS
    SELECT subject FROM followed
    WHERE subject IS NOT NULL AND (
        is_odd OR kind = 'SCHEMA' AND NOT is_set AND has_level OR kind = 'DELETE_SUBJECT' AND is_set AND version < highest
    )
    UNION SELECT subject FROM followed SEMI JOIN (
        SELECT id FROM followed WHERE id IS NOT NULL GROUP BY id HAVING min(text) <> max(text)
        UNION SELECT former_id FROM followed WHERE kind = 'SCHEMA' AND former_id <> id AND former_id >= 0
    ) AS doubtful USING (id) WHERE subject IS NOT NULL
"""
# A null DELETE_SUBJECT changes no state anywhere; Karapace's reader refuses it.
REMAINING = """
    SELECT "offset" FROM followed
    WHERE subject IS NULL OR kind = 'DELETE_SUBJECT' AND NOT is_set OR subject IN (SELECT subject FROM odd)
    ORDER BY "offset"
"""
HEEDED = """
    SELECT count(*) FROM followed ANTI JOIN odd USING (subject)
    WHERE subject IS NOT NULL AND kind IN ('SCHEMA', 'CONFIG') AND NOT is_set AND was_set
"""
INTERVALS = """
    WITH puts AS (
        SELECT *, CASE WHEN NOT is_deleted AND marked_at < coalesce(until, marked_at + 1) THEN marked_at END AS marked
        FROM followed ANTI JOIN odd USING (subject)
        WHERE subject IS NOT NULL AND kind IN ('SCHEMA', 'CONFIG') AND is_set
    )
    SELECT "offset" AS source, "offset" AS valid_from_offset, coalesce(marked, until) AS valid_to_offset,
        false AS is_marked
    FROM puts
    UNION ALL SELECT "offset", marked, until, true FROM puts WHERE marked IS NOT NULL
    ORDER BY source
"""
TOLD = """
    SELECT CASE entry_type WHEN 'SCHEMA' THEN 'schema' ELSE 'config' END AS entity_type, entity_id,
        CASE entry_type
            WHEN 'SCHEMA' THEN concat('{"id":', x[1], ',"deleted":', CASE WHEN is_marked THEN 'true' ELSE x[2] END,
                ',"schemaType":', x[3], ',"schemaHash":', x[4], '}')
            ELSE concat('{"compatibility":', x[5], '}')
        END AS attributes,
        valid_from_offset, valid_from_offset AS origin_offset, valid_to_offset
    FROM (
        SELECT *, json_extract(
            attributes, ['$.id', '$.deleted', '$.schemaType', '$.schemaHash', '$.compatibility']
        )::VARCHAR[] AS x
        FROM portion
    )
"""


@dataclass
class Bulk(PlainHistories):
    """The result for the plain subjects of a journal.

    unfit            profiles whose readers must take all entries
    heeds_deletions  whether a deletion had an effect
    """

    unfit: frozenset[str]
    heeds_deletions: bool


def bulk(entries: Iterable[pa.Table]) -> Bulk | None:
    """The result for the plain subjects among all entries of a partition; None if an offset occurs twice."""
    with opened() as connection:
        connection.execute(WRITES)
        if not are_loaded(entries, connection, PARSED):
            return None
        exceptions = connection.sql(EXCEPTIONS).to_arrow_table().to_pylist()[0]
        connection.execute(FOLLOWED)
        connection.execute("DROP TABLE writes")
        connection.execute(ODD)
        heeded = connection.sql(HEEDED).to_arrow_table().column(0)[0].as_py()
        unfit = frozenset(profile for profile, is_so in exceptions.items() if is_so)
        intervals = connection.sql(INTERVALS).to_arrow_table()
        return Bulk(
            intervals,
            TOLD,
            ("entry_type", "entity_id", "attributes"),
            offsets_of(connection, REMAINING),
            unfit,
            heeded > 0,
        )
