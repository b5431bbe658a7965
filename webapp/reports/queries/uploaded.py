"""Files of schemas that were uploaded beside the journal: Avro schemas and Protobuf descriptors."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.reports.results import Results

MOST_FILES = 1000
MOST_BYTES = 8 * 1024 * 1024  # of text in all
FILES = f"""
WITH kept AS (
    SELECT f.name, f.layout, p."value" AS content FROM {{properties}} AS p JOIN {{files}} AS f USING (file)
    WHERE f.layout IN ('avro-schema', 'protobuf-descriptors') ORDER BY f.name LIMIT {MOST_FILES}
)
SELECT name, layout, content FROM kept
QUALIFY sum(length(content)) OVER (ORDER BY name ROWS UNBOUNDED PRECEDING) <= {MOST_BYTES} ORDER BY name
"""


@dataclass(frozen=True)
class SchemaFile:
    """An uploaded file: the text of a schema, or descriptors as base64."""

    name: str
    is_avro: bool
    content: str


def schema_files(results: Results) -> list[SchemaFile]:
    """All of them by name, as many as may be tried."""
    if not results.count("properties"):
        return []
    return [
        SchemaFile(row["name"], row["layout"] == "avro-schema", row["content"]) for row in results.rows(FILES)
    ]
