"""What gave one id to two schemas, as far as the journal shows it.

The evidence, the surest first; `holder` has the id, `newcomer` gets it again:

    COPY      the newcomer is older than the holder before it, or seqs lie above their offsets: records of another journal were added
    IMPORT    mode IMPORT in force at the newcomer: a client gave the id; a soft-deleted holder keeps its id
    LEADERS   two hosts write in turns or within a minute, or two of them rolled the registration back
    RESTORE   records around the newcomer repeat earlier versions as they were: no registry writes those again
    TAKEOVER  the id was the highest, and the next registration got it again: two leaders, or one that had not read the first
    GIVEN     the id lies below the highest: a registry gives the next one

Sources: Confluent `KafkaSchemaRegistry.register`, `IncrementalIdGenerator`, `KafkaStoreMessageHandler` (7.6), Karapace `schema_registry.py` (3.9);
confluentinc/schema-registry issues 893, 1003, 2430.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from spark.detectors.schemas._writes import may_set_mode
from spark.tables.replica import Row, is_of, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.typed_wording import at_offsets, moment, plural

COPY, IMPORT, LEADERS, RESTORE = "copy", "import", "leaders", "restore"
TAKEOVER, GIVEN, UNKNOWN = "takeover", "given", "unknown"
OLDER_MS = 3_600_000  # by so much clocks of two registries do not differ
NEAR_MS = 60_000
AROUND = 20  # offsets in which a restore repeats records, and leaders roll a registration back
REPEATED = 3  # versions that are written again as they were
ROLLBACKS = 2  # each leader rolls it back (before 6.2 every registry, and at each of its starts again: pull request 1761)
LOOKED_AT = 20  # findings: more of them have the same cause

MODES = """
    SELECT "offset", mode, coalesce(subject, '') AS subject FROM registry_writes
    WHERE {replica} AND entry_type = 'MODE' AND counts ORDER BY "offset"
"""
STARTS = """
    SELECT "offset" FROM registry_writes WHERE {replica} AND entry_type = 'NOOP' AND "offset" BETWEEN {first} AND {last} ORDER BY "offset"
"""
HIGHEST = """
    SELECT max(id) AS highest FROM registry_writes
    WHERE {replica} AND context = $context AND counts AND entry_type = 'SCHEMA' AND "offset" < {last}
"""
SCHEMAS_AROUND = """
    SELECT "offset", entity_id, entry_action, id, text, host, is_rewrite FROM registry_writes
    WHERE {replica} AND entry_type = 'SCHEMA' AND counts AND "offset" BETWEEN {from_} AND {until} ORDER BY "offset"
"""
EARLIER = """
    SELECT entity_id, arg_max(id, "offset") AS id, arg_max(text, "offset") AS text, arg_max(entry_action, "offset") AS entry_action FROM registry_writes
    WHERE {replica} AND entry_type = 'SCHEMA' AND counts AND "offset" < {from_} AND list_contains($names, entity_id) GROUP BY entity_id
"""
TIMES = """
    SELECT "offset", timestamp_ms FROM lifelines WHERE {replica} AND "offset" IN ({first}, {last})
"""
COPIED = """
    SELECT 1 FROM registry_copies WHERE {replica} AND {last} BETWEEN first_offset AND last_offset
"""


@dataclass(frozen=True)
class CollisionCause:
    """One of those above, in sentences. `offsets`: records beside the two that show it."""

    kind: str
    sentences: str
    offsets: Sequence[int] = ()


def cause_of(tables: ResultTables, holder: Row, newcomer: Row) -> CollisionCause:
    """Of one collision."""
    at = {"replica": is_of(replica_of(newcomer)), "first": holder["offset"], "last": newcomer["offset"]}
    times = {row["offset"]: row["timestamp_ms"] for row in tables.rows(TIMES.format(**at))}
    first_ms, later_ms = (times.get(record["offset"]) or 0 for record in (holder, newcomer))
    if cause := copied(tables, at, first_ms, later_ms) or imported(tables, at, holder, newcomer):
        return cause
    is_near = first_ms > 0 and abs(later_ms - first_ms) <= NEAR_MS
    from_, until = newcomer["offset"] - AROUND, newcomer["offset"] + AROUND
    around = tables.rows(SCHEMAS_AROUND.format(**at, from_=from_, until=until))
    return (
        two_leaders(around, is_near, holder, newcomer)
        or restored(tables, {**at, "from_": from_}, around)
        or by_numbers(tables, at, holder, newcomer)
    )


def copied(tables: ResultTables, at: Row, first_ms: int, later_ms: int) -> CollisionCause | None:
    added = "a copy or a restore added records of another journal to this topic, and their IDs were in use."
    if tables.rows(COPIED.format(**at)):
        return CollisionCause(
            COPY,
            f"The record at offset {marked.offset(at['last'])} belongs to a copied part of the journal (its records have a seq above their offset). So {added}",
        )
    if 0 < later_ms < first_ms - OLDER_MS:
        return CollisionCause(
            COPY,
            f"The record at offset {marked.offset(at['last'])} has the time {moment(later_ms)} and the one at offset {marked.offset(at['first'])} before it "
            f"{moment(first_ms)}. So the later record was not written here first: {added}",
        )
    return None


def imported(tables: ResultTables, at: Row, holder: Row, newcomer: Row) -> CollisionCause | None:
    """The mode of the newcomer's subject, else of its context, else of all; the last one before it counts."""
    before = [row for row in tables.rows(MODES.format(**at)) if row["offset"] < newcomer["offset"]]
    for subject in may_set_mode(newcomer):
        modes = [row for row in before if row["subject"] == subject]
        if modes and modes[-1]["mode"] != "IMPORT":
            return None
        if modes:
            soft_deleted = (
                " The version that has this ID was only soft-deleted. A soft-deleted version keeps its ID, and an import does not "
                "check it."
                if is_soft_deleted(holder)
                else ""
            )
            return CollisionCause(
                IMPORT,
                f"An import gave the ID: mode IMPORT was in force since offset {marked.offset(modes[-1]['offset'])}, and in this mode the client "
                f"gives each schema its ID.{soft_deleted}",
                (modes[-1]["offset"],),
            )
    return None


def two_leaders(around: Sequence[Row], is_near: bool, holder: Row, newcomer: Row) -> CollisionCause | None:
    """Hosts follow each other when a leader fails; that they alternate, or write in one minute, is no failover."""
    hosts = [(row["offset"], row["host"]) for row in around if row["host"]]
    first, later = ((record["offset"], record["host"]) for record in (holder, newcomer))
    if first[1] and later[1] and first[1] != later[1]:
        alternate = any(
            (offset > later[0] and host == first[1]) or (offset < first[0] and host == later[1])
            for offset, host in hosts
        )
        if alternate or is_near:
            how = "wrote in turns" if alternate else "wrote the two records within a minute"
            return CollisionCause(
                LEADERS,
                f"Hosts {marked.name(first[1])} and {marked.name(later[1])} {how}. So two registries were leaders at the same time.",
            )
    behind = (
        row
        for row in around
        if row["entity_id"] == newcomer["entity_id"] and row["offset"] > newcomer["offset"]
    )
    until_deleted = takewhile(
        lambda row: not is_soft_deleted(row), behind
    )  # a tombstone behind one is a user's
    rollbacks = [row for row in until_deleted if row["entry_action"] == "delete" or row["is_rewrite"]]
    if len(rollbacks) >= ROLLBACKS:
        return CollisionCause(
            LEADERS, rolled_back(newcomer, rollbacks), tuple(row["offset"] for row in rollbacks)
        )
    return None


def rolled_back(newcomer: Row, rollbacks: Sequence[Row]) -> str:
    """Who rolls back depends on the version; a value with `offset` and `ts` is of a later one than 6.2."""
    again = (
        f"The record at offset {marked.offset(newcomer['offset'])} gave ID {marked.name(newcomer['doubled_id'])} again and was rolled back "
        f"{plural(len(rollbacks), 'time')} ({at_offsets([row['offset'] for row in rollbacks])})."
    )
    leaders = f"only a leader rolls a duplicate ID back, and only once, so {'two' if len(rollbacks) == ROLLBACKS else 'several'} registries were leaders."
    if all(row["is_rewrite"] for row in rollbacks):
        return f"{again} The version that wrote these records is later than 6.2: in it, {leaders}"
    return (
        f"{again} In Confluent 6.2 or later, {leaders} Before 6.2, every registry does so, and again at each start: the logs of the registries "
        "show which of them were leaders."
    )


def restored(tables: ResultTables, at: Row, around: Sequence[Row]) -> CollisionCause | None:
    """Versions that are written as they were before."""
    names = sorted({row["entity_id"] for row in around})
    state: dict[str, Row] = {
        row["entity_id"]: row for row in tables.rows(EARLIER.format(**at), {"names": names})
    }
    repeated = []
    for row in around:
        last = state.get(row["entity_id"])
        if last and not row["is_rewrite"] and row["entry_action"] == "register" and is_same(row, last):
            repeated.append(row["offset"])
        state[row["entity_id"]] = row
    if len(repeated) < REPEATED:
        return None
    return CollisionCause(
        RESTORE,
        f"{plural(len(repeated), 'record')} near it ({at_offsets(repeated)}) repeat versions that existed, without a change. A registry never does this. So "
        "a backup was restored into a topic that had been used since the backup.",
        tuple(repeated),
    )


def is_same(row: Row, last: Row) -> bool:
    return (row["id"], row["text"], row["entry_action"]) == (last["id"], last["text"], last["entry_action"])


def by_numbers(tables: ResultTables, at: Row, holder: Row, newcomer: Row) -> CollisionCause:
    """Without other evidence: whether the id was the next one."""
    highest = (tables.rows(HIGHEST.format(**at), {"context": newcomer["context"]})[0]["highest"]) or 0
    starts = [row["offset"] for row in tables.rows(STARTS.format(**at))]
    number = marked.number(highest)
    if newcomer["doubled_id"] >= highest:
        took_over = (
            f"A registry started or took over at offset {marked.offset(starts[-1])}, between the two records. Either it had not read the first one, or "
            "the previous leader was still writing. The logs of both registries show which: compare the times of their elections with the records."
            if starts
            else "No registry started between the two records. Either two registries were leaders at the same time, or one did not read the other's record. "
            "The logs of the registries show which: look for two leaders at the time of the records."
        )
        return CollisionCause(
            TAKEOVER,
            f"ID {number} was the highest ID, and the next registration got it again. {took_over}",
            tuple(starts[-1:]),
        )
    if is_soft_deleted(holder):
        return CollisionCause(
            GIVEN,
            f"IDs up to {number} were in use, and a registry gives a new schema the next one. So this ID was given by a client, in an import or a restore. The "
            "version that has it was only soft-deleted and keeps its ID. The registry's log shows requests to /mode if it was an import.",
        )
    return CollisionCause(
        UNKNOWN,
        f"IDs up to {number} were in use, and a registry gives a new schema the next one. Either a client gave this ID (an import, a restore), or a leader had not read "
        "the journal to its end, or a registry had rejected the record with the highest ID. If the IDs of the next new schemas follow this one, it was the "
        "leader. The registry's log shows requests to /mode if it was an import.",
    )


def is_soft_deleted(record: Row) -> bool:
    return bool(record["entry_action"] == "soft-delete")
