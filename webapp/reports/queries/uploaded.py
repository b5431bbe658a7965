"""Files of schemas that were uploaded beside the journal: Avro schemas and Protobuf descriptors."""

from __future__ import annotations

from spark.codecs.candidate_schemas import CandidateFile
from webapp.reports.results import Results

MAX_FILES = 1000
MAX_BYTES = 8 * 1024 * 1024  # of text in all
FILES = f"""
WITH retained AS (
    SELECT f.name, f.layout, p."value" AS content FROM properties AS p JOIN files AS f USING (file)
    WHERE f.layout IN ('avro-schema', 'protobuf-descriptors') ORDER BY f.name LIMIT {MAX_FILES}
)
SELECT name, layout, content FROM retained
QUALIFY sum(length(content)) OVER (ORDER BY name ROWS UNBOUNDED PRECEDING) <= {MAX_BYTES} ORDER BY name
"""


def schema_files(results: Results) -> list[CandidateFile]:
    """All of them by name, as many as may be tried."""
    if not results.count("properties"):
        return []
    return [
        CandidateFile(row["name"], row["layout"] == "avro-schema", row["content"])
        for row in results.rows(FILES)
    ]
