"""What captures, prints of Kafka's tools and the controllers' journal that came with a journal tell of the cluster, in SQL for stages and
detectors.

A print speaks of the cluster, so what it says holds for every copy of a partition. Of several the last file counts. A dump
that names no topic (`?`), where the input has no other journal, has the settings of the only topic that the prints name.
`said_by` names the print as a sentence wants it: `kafka-configs --describe (settings.txt)`.
"""

from __future__ import annotations

from spark.sources._grammar.declared_tables import TOOL_PRINTS
from spark.tables.replica import REPLICA_COLUMNS

LAYOUTS = ", ".join(f"'{id}'" for id in TOOL_PRINTS)
SAID_BY = "layout_title || ' (' || files.name || ')'"

ASSUMED = "; the dump names no topic, and the prints name this one only"
# One row for each setting of a topic.
PRINTED_SETTINGS = f"""
    settings_by_topic AS (
        SELECT properties.topic, properties.name, arg_max(properties.value, file) AS value,
            arg_max({SAID_BY}, file) AS said_by
        FROM properties JOIN files USING (file) WHERE layout IN ({LAYOUTS}) GROUP BY ALL
    ),
    printed_settings AS (
        FROM settings_by_topic
        UNION ALL SELECT '?', name, value, said_by || '{ASSUMED}' FROM settings_by_topic
        WHERE (SELECT count(DISTINCT topic) FROM settings_by_topic) = 1 AND (SELECT bool_and(topic = '?') FROM runs)
    )
"""
PRINTED_STARTS = f"""
    printed_starts AS (
        SELECT printed.topic, printed.partition, arg_max("offset", file) AS printed_start, arg_max({SAID_BY}, file) AS said_by
        FROM printed JOIN files USING (file) WHERE printed.kind = 'log_start' GROUP BY ALL
    )
"""
# Of the manifests of captures the newest one of each partition.
NEWEST_CAPTURES = f"""
    newest_captures AS (
        FROM captures QUALIFY row_number() OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY captured_at_ms DESC NULLS LAST, file DESC) = 1
    )
"""
# Kafka's default keeps a week and any size. ksqlDB and Debezium write the greatest number there is in place of -1.
UNLIMITED_MS = 100 * 365 * 24 * 3_600_000


def has_limit(policy: str, retention_ms: str, retention_bytes: str) -> str:
    """In SQL, of three columns: whether the broker deletes the oldest segments by age or size. A policy that is not told deletes,
    by Kafka's default, if a limit is told."""
    ms, size = (f"TRY_CAST({column} AS HUGEINT)" for column in (retention_ms, retention_bytes))
    by_age, by_size = f"{ms} BETWEEN 0 AND {UNLIMITED_MS}", f"{size} >= 0 AND {size} < 9223372036854775807"
    return (
        f"coalesce(contains(coalesce({policy}, 'delete'), 'delete') AND (coalesce({by_age}, false) OR coalesce({by_size}, false) "
        f"OR ({policy} IS NOT NULL AND {retention_ms} IS NULL)), false)"
    )


# Kafka's names of a topic's setting and of the brokers' default for it.
DEFAULTS = {
    "cleanup.policy": "log.cleanup.policy",
    "retention.ms": "log.retention.ms",
    "retention.bytes": "log.retention.bytes",
}
POLICY_SETTINGS = tuple(DEFAULTS)
# Of the controllers' journal, or of the newest snapshot where it is not in the input: the settings in force of each topic whose creation it
# has (so that it has them all), else the default that was set for all brokers. A broker's own file can have another default.
OF_CONTROLLERS = f"""
    configs AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, entity_id, attributes->>'value' AS value, origin_offset FROM state
        WHERE entity_type = 'config' AND view = 'log' AND is_own AND valid_to_offset IS NULL
            AND (entity_id LIKE 'topic/%' OR entity_id IN {tuple(f"broker//{name}" for name in DEFAULTS.values())})
    ),
    controllers AS (
        SELECT {REPLICA_COLUMNS} FROM configs GROUP BY {REPLICA_COLUMNS} ORDER BY contains(topic, ' snapshot '), max(origin_offset) DESC, {REPLICA_COLUMNS} LIMIT 1
    ),
    cluster_topics AS (
        SELECT entity_id AS topic FROM state SEMI JOIN controllers USING ({REPLICA_COLUMNS})
        WHERE entity_type = 'topic' AND view = 'log' AND is_own AND valid_to_offset IS NULL
    ),
    wanted AS (SELECT topic, unnest({list(DEFAULTS)}) AS name, unnest({list(DEFAULTS.values())}) AS default_name FROM cluster_topics),
    controllers_settings AS (
        SELECT wanted.topic, name, value, '__cluster_metadata (offset ' || origin_offset || if(is_default, ', default of all brokers)', ')') AS said_by
        FROM (
            SELECT topic, name, 'topic/' || topic || '/' || name AS entity_id, false AS is_default FROM wanted
            UNION ALL SELECT topic, name, 'broker//' || default_name, true FROM wanted
        ) wanted JOIN (SELECT * EXCLUDE (topic) FROM configs SEMI JOIN controllers USING ({REPLICA_COLUMNS})) USING (entity_id)
        QUALIFY row_number() OVER (PARTITION BY wanted.topic, name ORDER BY is_default) = 1
    )
"""
# One row for each topic of which a print, a capture, a backup or, without these, the controllers' journal tells the policy. `policy_said_by`:
# null for captures and backups.
POLICIES = f"""
    WITH {PRINTED_SETTINGS}, {OF_CONTROLLERS},
    told AS (
        FROM printed_settings WHERE name IN {POLICY_SETTINGS}
        UNION ALL SELECT properties.topic, properties.name, value, NULL FROM properties LEFT JOIN files USING (file)
        WHERE properties.name IN {POLICY_SETTINGS} AND coalesce(layout, '') NOT IN ({LAYOUTS})
    ),
    settings AS (
        SELECT topic, name, any_value(value ORDER BY said_by) AS value, any_value(said_by) AS said_by FROM (
            FROM told UNION ALL FROM controllers_settings WHERE topic NOT IN (SELECT topic FROM told)
        ) GROUP BY ALL
    )
    SELECT topic, max(value) FILTER (name = 'cleanup.policy') AS policy,
        coalesce(max(said_by) FILTER (name = 'cleanup.policy'), max(said_by)) AS policy_said_by,
        max(value) FILTER (name = 'retention.ms') AS retention_ms,
        max(value) FILTER (name = 'retention.bytes') AS retention_bytes,
        {has_limit("policy", "retention_ms", "retention_bytes")} AS has_limit
    FROM settings GROUP BY topic
"""
