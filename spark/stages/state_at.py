"""The state of a journal at an offset: what a service would hold that had read so far."""

from __future__ import annotations

from typing import Any

import orjson

from spark.detectors import Tables, quoted
from spark.dialects import dialects
from spark.dialects.cluster_metadata.snapshots import MARK
from spark.errors import UnreadableInput
from spark.tables import Manifest
from spark.wording import listed

# Of several copies of a partition the one that reaches furthest speaks; of equal ones the first by name. A snapshot
# says what its log once said: it speaks only where the log is not in the input, and of several the newest.
STATE_AT = """
WITH copies AS (
    SELECT topic, partition, replica, row_number() OVER (
        PARTITION BY split_part(topic, {snapshot}, 1), partition ORDER BY contains(topic, {snapshot}),
            TRY_CAST(split_part(split_part(topic, {snapshot}, 2), '-', 1) AS BIGINT) DESC, max("offset") DESC, replica
    ) AS place
    FROM lifelines GROUP BY topic, partition, replica
)
SELECT topic, partition, entity_type, entity_id, attributes, origin_offset
FROM state JOIN copies USING (topic, partition, replica)
WHERE place = 1 AND view = {view} AND {profile} AND {offset}
ORDER BY entity_type, entity_id, topic, partition
"""
AT_END = "valid_to_offset IS NULL"
AT_OFFSET = "valid_from_offset <= {0} AND (valid_to_offset IS NULL OR valid_to_offset > {0})"


def state_at(
    manifest: Manifest, offset: int | None = None, profile: str | None = None, view: str = "log"
) -> list[dict[str, Any]]:
    """Every entity as of an offset (None: the end), each with entity_type, entity_id, attributes, origin_offset.

    `profile`: by whose rules; None: by those of the service that each journal belongs to. `view`: the
    log as it is (log), as the next cleaning leaves it (next), when tombstones have gone, too (full).
    """
    tables = Tables.open(manifest)
    known = {row["profile"] for row in tables.rows("SELECT DISTINCT profile FROM state WHERE profile <> ''")}
    if profile is not None and profile not in known:
        raise UnreadableInput(no_such_profile(profile, known))
    chosen = "is_own" if profile is None else f"profile IN ('', {quoted(profile)})"
    valid = AT_END if offset is None else AT_OFFSET.format(int(offset))
    rows = tables.rows(
        STATE_AT.format(view=quoted(view), profile=chosen, offset=valid, snapshot=quoted(MARK))
    )
    return [row | {"attributes": orjson.loads(row["attributes"])} for row in rows]


def no_such_profile(profile: str, known: set[str]) -> str:
    """What to say to one who names another profile."""
    titles = {
        one.id: one.title for dialect in dialects().values() for one in dialect.profiles if one.id in known
    }
    if not titles:
        return f"There is no profile {profile!r} here: this journal is read in one way only. Leave --profile out."
    return (
        f"There is no profile {profile!r} here; this journal can be read as {listed(sorted(titles), 'or')}."
    )
