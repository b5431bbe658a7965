"""What happens to a victim, and its name, in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from spark.terms.findings import OF_THE_LOG, WHEN_WORDS
from spark.terms.wording import number_ranges, offset_range, plural, some, type_name, typed_name

SCHEMA_ID = "schema-id"
MAX_RANGES = 8  # of numbers of partitions
VALUE = "value"  # of a key, at an offset
EFFECTS = {
    "lost": ("lost", "lost"),
    "revived": ("reappeared", "reappears"),
    "changed": ("changed", "changes"),
    "unreadable": ("unreadable", "becomes unreadable"),
    "misread": ("read as another", "will be read as another"),
    "missing": ("missing", "will be missing"),
    "rejected": ("rejected", "will be rejected"),
    "at_risk": ("at risk", "at risk"),
    "stuck": ("stuck", "will be stuck"),
}
OF_PARTITION = {
    "changed": "get different records",
    "revived": "get records that were never committed",
    "misread": "read records wrongly",
    "missing": "never receive the missing records",
}
UNREADABLE = "unreadable"
STOPPED = ("stuck", UNREADABLE)  # effects on a partition whose consumers stop at an offset
OF_WHOM = {
    "consumers": "consumers of ",
    "java_consumers": "Java consumers of ",
    "read_committed": "read_committed consumers of ",
    "brokers": "brokers of ",
    "clients": "producers and consumers of ",
    "groups": "groups whose offsets are in ",
    "transactional": "transactional producers with their coordinator in ",
    "service": "services that read ",
    "registries": "registries that read ",
    "workers": "Kafka Connect workers that read ",
}
# By whom the partition's leader serves.
WITHOUT_LEADER = {
    "clients": "cannot write or read",
    "groups": "cannot join, fetch or commit offsets",
    "transactional": "cannot begin or end a transaction",
}
NUMBERS = "numbers"  # member of a victim that is several partitions of a topic
COMMIT = "offset-commit"  # its id is GROUP/TOPIC/PARTITION


def name_of(row: Mapping[str, Any], parts: Mapping[str, int]) -> str:
    """`artifact pay/money with 2 versions`, `pay/money version 1`, `consumers of moves-0`, `value of key b at offset 1`."""
    entity_id = row["entity_id"]
    if len(row.get(NUMBERS, ())) > 1:
        return f"{OF_WHOM[row['whom']]}partitions {some(number_ranges(row[NUMBERS]), MAX_RANGES)} of {entity_id.rpartition('-')[0]}"
    if row["entity_type"] in OF_THE_LOG and row["entity_type"] != VALUE:
        reads = row["kind"] in (*STOPPED, *OF_PARTITION)
        name = (
            entity_id.replace("/", "-") if row["entity_type"] == "partition" else entity_id
        )  # as KRaft's journal names it
        return f"{OF_WHOM[row['whom']] if reads else ''}{name}"
    if row["entity_type"] == COMMIT and len(names := entity_id.rsplit("/", 2)) == 3:
        return "group {} in {}-{}".format(*names)
    name = typed_name(row["entity_type"], entity_id)
    counted = [plural(count, type_name(kind)) for kind, count in parts.items() if count > 1]
    return f"{name} with {' and '.join(counted)}" if counted else name


def of_one_topic(
    rows: Sequence[Mapping[str, Any]], without_records: Collection[str]
) -> list[Mapping[str, Any]]:
    """Partitions without a leader of one topic as one victim, where the finding has no record that tells them apart."""
    merged: dict[tuple[str, ...], Mapping[str, Any]] = {}
    for number, row in enumerate(rows):
        topic, _, partition = row["entity_id"].rpartition("-")
        if row.get("whom") in WITHOUT_LEADER and row["finding"] in without_records and partition.isdecimal():
            first = merged.setdefault((row["finding"], row["whom"], topic), row)
            key = row["finding"], row["whom"], topic
            merged[key] = {**first, NUMBERS: sorted({*first.get(NUMBERS, ()), int(partition)})}
        else:
            merged[str(number),] = row
    return list(merged.values())


def value_offset(entity_id: str) -> int:
    """Of the id of a value: `b/1`."""
    return int(entity_id.rpartition("/")[2])


def is_stop(row: Mapping[str, Any]) -> bool:
    """Whether consumers stop at an offset: of damage all of them, of an open transaction those that read committed records."""
    return row["kind"] == UNREADABLE or (row["kind"] == "stuck" and row.get("whom") == "read_committed")


def stopped(row: Mapping[str, Any], first: int, last: int | None, behind: int | None) -> str:
    """`offsets 182-214 cannot be read; records again from offset 230`, `74 records hidden behind offset 60`."""
    if row["kind"] == UNREADABLE:
        again = "" if behind is None else f"; records again from offset {behind}"
        return f"{offset_range(first, last)} cannot be read{again}"
    return (
        f"{plural(behind, 'record')} hidden behind offset {first}"
        if behind
        else f"{happens(row)} from offset {first}"
    )


def misread_words(row: Mapping[str, Any]) -> str:
    """`ID 3 names another schema`, beside the version that had the id."""
    if row["entity_type"] == SCHEMA_ID and row["when"] == "already":
        return f"ID {row['entity_id']} names another schema"
    return f"{name_of(row, {})} {happens(row)}"


def fate_of(document: Mapping[str, Any], entity_type: str, entity_id: str) -> str:
    """What happens to an entity that is a victim of an incident, else nothing."""
    victims = (row for incident in document.get("incidents", []) for row in incident.get("victims") or [])
    fates = (
        happens(row) for row in victims if (row["entity_type"], row["entity_id"]) == (entity_type, entity_id)
    )
    return next(fates, "")


def happens(effect: Mapping[str, Any]) -> str:
    """`lost at the next compaction`."""
    now, later = EFFECTS.get(effect["kind"], (effect["kind"], effect["kind"]))
    return f"{now if effect['when'] == 'already' else later} {WHEN_WORDS.get(effect['when'], '')}".rstrip()
