"""Evidence: the records at some offsets, and in words what each of them shows. Pages and report.json say the same."""

from __future__ import annotations

import json
from typing import Any

from spark.tables.replica import IN_REPLICA, REPLICA_COLUMNS, Row, same_replica
from spark.terms import marked
from spark.terms.typed_wording import offset_range, plural

UNSEEN = (
    "damage",
    "unexplained",
    "capture limit",
)  # causes of gaps in which records of any key may have been
OF_START = {"NOOP": "a registry started or became the leader"}  # of entries that not only a start writes
MARKERS = {"commit": "COMMIT marker", "abort": "ABORT marker"}

CREATING = ("create", "import", "register")


def evidence_at(condition: str) -> str:
    """The query for records by partition and offset, as a condition names them; offsets without a record are left out."""
    key = f'{REPLICA_COLUMNS}, "offset"'
    return f"""
SELECT {key}, r.timestamp_ms, r."key", r.value_is_null, r.value_size_bytes, r.control_type, r.producer_id, r.entry_type,
       r.entry_action, e.entity_id, e.decode_error, e.attributes, l.kind, l.previous_offset, l.superseded_by, r.key_is_null,
       {_unseen_between("l.previous_offset", 'r."offset"')} AS unseen_before,
       {_unseen_between('r."offset"', "l.superseded_by")} AS unseen_after
FROM (SELECT * FROM records WHERE {condition}) AS r
LEFT JOIN (SELECT * FROM entries WHERE {condition}) AS e USING ({key}, file)
LEFT JOIN (SELECT * FROM lifelines WHERE {condition}) AS l USING ({key})
ORDER BY {key}
"""


def _unseen_between(low: str, high: str) -> str:
    """Offsets between two records of one key in which there may have been others of it, as SQL: first, last and number; null for
    none."""
    same = same_replica("gaps", "r")
    return f"""(
    SELECT CASE WHEN count(*) > 0 THEN struct_pack(first_offset := min(first_offset), last_offset := max(last_offset),
        offsets := sum(last_offset - first_offset + 1)::BIGINT) END
    FROM gaps WHERE {same} AND cause IN {UNSEEN} AND first_offset > {low} AND last_offset < {high})"""


EVIDENCE = evidence_at(f'{IN_REPLICA} AND "offset" IN (SELECT unnest($offsets))')


def what_it_shows(record: Row) -> str:
    """What a record does to its key, and what became of it. `record`: a row of EVIDENCE."""
    previous, following = record["previous_offset"], record["superseded_by"]
    unseen_before, unseen_after = (_unseen(record[f"unseen_{side}"]) for side in ("before", "after"))
    superseded = (
        f"; superseded by offset {marked.offset(following)}{unseen_after}" if following is not None else ""
    )
    if following is not None and following == record["offset"]:
        superseded = "; another record has the same offset"
    does = {
        "create": f"{'only' if following is None else 'first'} record of its key {within(record.get('replica'))}{_sequenced(record)}",
        "update": f"supersedes offset {marked.offset(previous)}{unseen_before}"
        if previous != record["offset"]
        else "another record has the same offset",
        "tombstone": "deletes its key"
        + (f" (was offset {marked.offset(previous)})" if previous is not None else ""),
        "revive": f"recreates its key, deleted at offset {marked.offset(previous)}",
        "restart": OF_START.get(record.get("entry_type") or "", "the service started here"),
        "control": MARKERS.get(record["control_type"] or "")
        or f"control record: {marked.quote(record['control_type'] or 'marker')}",
    }.get(record["kind"] or "", "")
    lacks = "".join(f"; without {marked.name(name)}" for name in absent_parts(record["attributes"]))
    unreadable = f"; cannot be read: {marked.quote(record['decode_error'])}" if record["decode_error"] else ""
    became = superseded if record["kind"] not in ("restart", "control") else ""
    if record["key_is_null"] and record["kind"] in ("create", "tombstone"):
        does = "no key in this file" if record["kind"] == "create" else "no key and no value in this file"
    return (does + became + lacks + unreadable).lstrip("; ")


def within(replica: str | None) -> str:
    """What a partition holds is said of its replica, or of its output of a tool, where the input has several."""
    return f"in this {marked.noun_of_replica(replica)}" if replica else "in this dump"


def _sequenced(record: Row) -> str:
    """` (seq 1, node 2)`: a key of Redpanda's registry differs from another one of the same version in these."""
    members = members_of(record)
    if "seq" not in members:
        return ""
    node = f", node {marked.name(members['node'])}" if members.get("node") is not None else ""
    return f" (the key contains seq {marked.number(members['seq'])}{node})"


def _unseen(gaps: Row | None) -> str:
    """` (offsets 154-229 between them are missing)`: the other record need not be the nearest one of the key."""
    if not gaps:
        return ""
    first, last, offsets = gaps["first_offset"], gaps["last_offset"], gaps["offsets"]
    name = offset_range(first, last) if offsets == last - first + 1 else plural(offsets, "offset")
    return f" ({name} between them {'is' if offsets == 1 else 'are'} missing)"


def role_of(record: Row) -> str:
    """The same in two words, as a label of its offset in the table of an incident's victims; empty for an ordinary record."""
    if record["control_type"]:
        return f"{record['control_type']} marker"
    if absent_parts(record["attributes"]):
        return "empties it"
    has_content = members_of(record).get("has_content")
    by_kind = {"restart": "start mark", "tombstone": "deletes it", "revive": "recreates it"}
    return "contains it" if has_content else by_kind.get(record["kind"] or "", "")


def deed_of(record: Row) -> str:
    """What an ordinary record does to its entity: `creates it` only where its entry says so, else the record before it may be gone;
    `writes 14 again` where its value names the record that it repeats, as a rollback of Confluent's registry does."""
    kind, action = record["kind"] or "", record["entry_action"] or ""
    if kind not in ("create", "update"):
        return ""
    if "delete" in action:
        return "deletes it"
    if (rewritten := members_of(record).get("cachedOffset")) is not None:
        return f"writes {rewritten} again"
    if kind == "create" and action in CREATING:
        return "creates it"
    return "changes it" if action == "update" else "sets it" if kind == "create" else "sets it again"


def members_of(record: Row) -> dict[str, Any]:
    """The members of its entry."""
    members: dict[str, Any] = json.loads(record["attributes"] or "{}")
    return members


def absent_parts(attributes: str | None) -> list[str]:
    """Parts that the dialect says are missing: a member `has_content` that is false."""
    members = json.loads(attributes) if attributes else {}
    return [
        name.removeprefix("has_")
        for name, value in members.items()
        if name.startswith("has_") and value is False
    ]


def what_a_gap_shows(gap: Row | None, replica: str = "") -> str:
    """Why there is no record. `gap`: the row of the table `gaps` that has the offset, if there is one."""
    absent = f"not {within(replica)}"
    return f"{absent}: {marked.quote(gap['proof'] or gap['cause'])}" if gap else absent
