"""The state of a journal at an offset: what a service would hold that had read so far."""

from __future__ import annotations

from typing import Any

import orjson

from spark.dialects import dialects
from spark.log.preferred_copy import speaking
from spark.tables import Manifest
from spark.tables.replica import quoted
from spark.tables.store import ResultTables
from spark.terms.errors import UnreadableInput
from spark.terms.wording import listed

STATE_AT = """
SELECT topic, partition, entity_type, entity_id, attributes, origin_offset FROM state
WHERE (topic, partition, replica) IN ({replicas}) AND view = {view} AND {profile} AND {offset}
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
    tables = ResultTables.open(manifest)
    known = {row["profile"] for row in tables.rows("SELECT DISTINCT profile FROM state WHERE profile <> ''")}
    if profile is not None and profile not in known:
        raise UnreadableInput(no_such_profile(profile, known))
    chosen = "is_own" if profile is None else f"profile IN ('', {quoted(profile)})"
    valid = AT_END if offset is None else AT_OFFSET.format(int(offset))
    replicas = ", ".join(f"({quoted(t)}, {p}, {quoted(r)})" for t, p, r in speaking(tables)) or "NULL"
    rows = tables.rows(STATE_AT.format(replicas=replicas, view=quoted(view), profile=chosen, offset=valid))
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
