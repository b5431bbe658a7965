"""The entities that somebody means by `content 48`, `artifact-rule pay/invoice` or an id alone."""

from __future__ import annotations

from webapp.reports.queries.timeline.pins import PLAIN_TYPE, Pin
from webapp.reports.queries.timeline.service_kinds import OWN
from webapp.reports.results import WHERE_REPLICA, PartitionResults

MAX_ENTITIES = 8
MAX_TEXT = 300  # characters
CALLED = f"""
SELECT entity_type, entity_id, min(rank) AS rank FROM (
    SELECT entity_type, entity_id, 0 AS rank FROM state WHERE {OWN} AND entity_id IN (SELECT unnest($ids))
    UNION ALL SELECT entity_type, entity_id, 0 FROM refusals WHERE {OWN} AND entity_id IN (SELECT unnest($ids))
    UNION ALL SELECT entry_type, entity_id, 1 FROM entries WHERE {WHERE_REPLICA} AND entity_id IN (SELECT unnest($ids))
) WHERE starts_with({PLAIN_TYPE.format("entity_type")}, CASE WHEN entity_id = $text THEN '' ELSE
    replace(replace(replace(lower(left($text, length($text) - length(entity_id))), ' ', ''), '-', ''), '_', '') END)
GROUP BY entity_type, entity_id ORDER BY rank, entity_type, entity_id LIMIT {MAX_ENTITIES}
"""


def entities_called(partition: PartitionResults, text: str) -> list[Pin]:
    """Those of the service's state first; entry types only where no state has the entity."""
    words = text.strip()[:MAX_TEXT].split(" ")
    ids = [" ".join(words[number:]) for number in range(len(words))]
    rows = partition.rows(CALLED, {"ids": ids, "text": " ".join(words)})
    best = min((row["rank"] for row in rows), default=0)
    return [Pin(row["entity_type"] or "", row["entity_id"]) for row in rows if row["rank"] == best]
