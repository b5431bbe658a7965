"""The state of a journal at an offset: what a service would hold that had read so far."""

from __future__ import annotations

from typing import Any

import orjson

from spark.dialects import dialects
from spark.log.preferred_copy import speaking
from spark.log.read_committed import NOT_COMMITTED
from spark.tables import Manifest
from spark.tables.replica import is_of, quoted, replica_of
from spark.tables.store import ResultTables
from spark.terms.errors import UnreadableInput
from spark.terms.wording import listed

STATE_AT = """
SELECT topic, partition, entity_type, entity_id, attributes, origin_offset FROM state
WHERE (topic, partition, replica) IN ({replicas}) AND view = {view} AND {profile} AND {offset}
ORDER BY entity_type, entity_id, topic, partition
"""
REPLAYED = "SELECT DISTINCT topic, partition, replica FROM state WHERE is_own AND view = 'log'"
# The newest record of each key among those that count at an offset; a tombstone leaves nothing.
LATEST = """
WITH uncommitted AS ({not_committed}),
keyed AS (
    SELECT "offset", kind, key_hash_1, key_hash_2 FROM lifelines
    WHERE {of} AND (key_hash_1 <> 0 OR key_hash_2 <> 0) AND kind NOT IN ('control', 'restart') AND {reached}
),
newest AS (
    SELECT max(k."offset") AS "offset", arg_max(kind, k."offset") AS kind
    FROM keyed AS k ASOF LEFT JOIN uncommitted AS u ON k."offset" >= u.base_offset
    WHERE NOT coalesce(k."offset" <= u.last_offset, false) GROUP BY key_hash_1, key_hash_2
)
SELECT topic, partition, "offset", timestamp_ms, "key", "value" FROM records
WHERE {of} AND "offset" IN (SELECT "offset" FROM newest WHERE kind <> 'tombstone') ORDER BY "offset"
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
    tables = ResultTables.open(manifest)
    rows = tables.rows("SELECT DISTINCT profile FROM state WHERE profile <> ''")
    replayed = {row["profile"] for row in rows}
    if profile is not None and profile not in replayed:
        raise UnreadableInput(no_such_profile(profile, replayed))
    own_or_chosen = "is_own" if profile is None else f"profile IN ('', {quoted(profile)})"
    valid = AT_END if offset is None else AT_OFFSET.format(int(offset))
    values = [f"({quoted(topic)}, {number}, {quoted(name)})" for topic, number, name in speaking(tables)]
    replicas = ", ".join(values) or "NULL"
    query = STATE_AT.format(replicas=replicas, view=quoted(view), profile=own_or_chosen, offset=valid)
    return [row | {"attributes": orjson.loads(row["attributes"])} for row in tables.rows(query)]


def latest_values(manifest: Manifest, offset: int | None = None) -> list[dict[str, Any]]:
    """The latest value of each key, as of an offset (None: the end), of every partition that no service replays.

    Rows of `topic`, `partition`, `offset`, `timestamp_ms`, `key` and `value` (bytes), by partition in the order of offsets;
    records of transactions count once they are committed.
    """
    tables = ResultTables.open(manifest)
    replayed = {replica_of(row) for row in tables.rows(REPLAYED)}
    reached = "true" if offset is None else f'"offset" <= {int(offset)}'
    rows: list[dict[str, Any]] = []
    for replica in speaking(tables):
        if replica not in replayed:
            of = is_of(replica)
            not_committed = NOT_COMMITTED.format(where=of)
            rows += tables.rows(LATEST.format(of=of, reached=reached, not_committed=not_committed))
    return rows


def no_such_profile(name: str, replayed: set[str]) -> str:
    """The message where no replay of this journal has that profile."""
    ids = {profile.id for dialect in dialects().values() for profile in dialect.profiles} & replayed
    if not ids:
        return (
            f"There is no profile {name!r} here: this journal is read in one way only. Leave --profile out."
        )
    return f"There is no profile {name!r} here; this journal can be read as {listed(sorted(ids), 'or')}."
