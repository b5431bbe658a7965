"""What is known of each topic's cleanup.policy and retention: one row for each topic of which a print, a capture or a backup tells it.

`policy_said_by` names the print as a sentence wants it; null for captures and backups.
"""

from __future__ import annotations

from spark.log.printed_settings import LAYOUTS, PRINTED_SETTINGS

SETTINGS = ("cleanup.policy", "retention.ms", "retention.bytes")
POLICIES = f"""
    WITH {PRINTED_SETTINGS},
    settings AS (
        SELECT topic, name, any_value(value ORDER BY said_by) AS value, any_value(said_by) AS said_by FROM (
            FROM printed_settings WHERE name IN {SETTINGS}
            UNION ALL SELECT properties.topic, properties.name, value, NULL FROM properties LEFT JOIN files USING (file)
            WHERE properties.name IN {SETTINGS} AND coalesce(layout, '') NOT IN ({LAYOUTS})
        ) GROUP BY ALL
    )
    SELECT topic, max(value) FILTER (name = 'cleanup.policy') AS policy,
        max(said_by) FILTER (name = 'cleanup.policy') AS policy_said_by,
        max(value) FILTER (name = 'retention.ms') AS retention_ms,
        max(value) FILTER (name = 'retention.bytes') AS retention_bytes
    FROM settings GROUP BY topic
"""
