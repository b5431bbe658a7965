"""What the prints of Kafka's tools that came with a journal tell, for stages and detectors: settings, starts of logs.

A print speaks of the cluster, so what it says holds for every copy of a partition. Of several the last file counts. A dump
that names no topic (`?`), where the input has no other journal, has the settings of the only topic that the prints name.
`said_by` names the print as a sentence wants it: `kafka-configs --describe (settings.txt)`.
"""

from __future__ import annotations

from spark.sources._tool_prints import TOOL_PRINTS

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
