"""The settings of subjects, of contexts and of all subjects at the end of a `_schemas` journal, as their CONFIG records have them.

`level`, `alias` and `normalize` are null where the record does not have them. `is_global`: of all subjects of the default context.
"""

from __future__ import annotations

from spark.tables.replica import REPLICA_COLUMNS
from spark.tables.store import ResultTables

CONFIGS = f"""
    WITH live AS (
        SELECT {REPLICA_COLUMNS}, entity_id AS subject, origin_offset AS "offset", profile FROM live_state WHERE entity_type = 'config'
    ),
    read AS (
        SELECT {REPLICA_COLUMNS}, subject, "offset", profile, TRY(decode(value)) AS text FROM live JOIN records USING ({REPLICA_COLUMNS}, "offset")
    )
    SELECT {REPLICA_COLUMNS}, subject, "offset", profile, subject = '' AS is_global, text->>'$.compatibilityLevel' AS level,
        nullif(text->>'$.alias', '') AS alias, text->>'$.normalize' AS normalize, text->>'$.compatibilityGroup' AS compatibility_group
    FROM read WHERE json_valid(text)
"""


def prepared(tables: ResultTables) -> ResultTables:
    """The same tables, with `registry_configs` among them."""
    tables.materialize("registry_configs", CONFIGS)
    return tables
