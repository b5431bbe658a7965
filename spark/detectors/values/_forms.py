"""The forms of values in each copy of a partition, counted once for all detectors of this section.

Only records of plain topics: those of services have readers of their own. A number of eight bytes can look framed, so framed values
count where each schema id has several records.
"""

from __future__ import annotations

from spark.tables.replica import REPLICA_COLUMNS
from spark.tables.store import ResultTables

RECORDS_PER_ID = 3  # on average; numbers that look framed give nearly each record an id of its own
APPLICATIONS = "entry_type IS NULL AND control_type IS NULL"  # records that no service wrote
# Of files that hold values as the broker does: other dumps are what a program printed, which can be what is looked for.
AS_STORED = "file IN (SELECT file FROM files WHERE kind = 'segment' OR layout = 'kcat-json')"
FORMS = f"""
    SELECT {REPLICA_COLUMNS}, value_form AS form, value_schema_id AS schema_id, count(*) AS records, min("offset") AS first_offset,
        max("offset") AS last_offset
    FROM records WHERE value_form IS NOT NULL AND {APPLICATIONS} GROUP BY ALL
"""
# One row per copy of a partition with framed values.
FRAMED = f"""
    SELECT {REPLICA_COLUMNS}, sum(records)::BIGINT AS framed FROM value_forms WHERE form = 'framed'
    GROUP BY {REPLICA_COLUMNS} HAVING sum(records) >= {RECORDS_PER_ID} * count(*)
"""


def prepared(tables: ResultTables) -> ResultTables:
    """The same tables, with `value_forms` among them."""
    tables.materialize("value_forms", FORMS)
    return tables
