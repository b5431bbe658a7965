"""Where a copy has the versions that come back: in front of the first record with a higher id, so that ids ascend as a registry gives them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from spark.repair import Added
from spark.repair.journal import PartitionJournal
from spark.repair.schema_registry.lost import LostVersion
from spark.tables.replica import IN_REPLICA

IDS = f"""
    SELECT "offset", max(TRY_CAST(json_extract(attributes, '$.id') AS BIGINT)) OVER (ORDER BY "offset") AS highest
    FROM entries WHERE {IN_REPLICA} AND entry_type = 'SCHEMA' AND entry_action = 'register' ORDER BY "offset"
"""
WRITTEN = f"SELECT DISTINCT entity_id FROM entries WHERE {IN_REPLICA} AND entry_type = 'SCHEMA'"


def placed(
    journal: PartitionJournal, versions: Sequence[tuple[LostVersion, Added]]
) -> tuple[dict[int, list[Added]], list[Added]]:
    """Records by the offset that they stand before, and those for the end: of a version that records here are about, which
    would act on it, and of ids above all others."""
    rows = journal.rows(IDS)
    written = {row["entity_id"] for row in journal.rows(WRITTEN)}
    highest = np.array([row["highest"] for row in rows], np.int64)
    before: dict[int, list[Added]] = defaultdict(list)
    at_end = []
    for version, record in versions:
        position = int(np.searchsorted(highest, version.schema_id, side="right"))
        if version.name in written or position == len(rows):
            at_end.append(record)
        else:
            before[rows[position]["offset"]].append(record)
    return dict(before), at_end
