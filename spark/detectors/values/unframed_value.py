"""Unframed value: among values, or keys, with a schema id in front of them, one without. Deserializers fail there: "Unknown magic byte".

Innocent: no framing in the topic; numbers of 8 bytes; tombstones; ids in headers; a dated change of format, from which on all values have the other form.
High where a group's committed offset is that of such a record. Page: docs/detectors/unframed-value.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors import _words as words
from spark.detectors._effects import on_records
from spark.detectors.values._forms import APPLICATIONS, FRAMED, RECORDS_PER_ID, prepared
from spark.detectors.values._poison import stopped
from spark.tables.replica import REPLICA_COLUMNS, PartitionReplica, Row, is_of, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.marked import partition_name
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, listed, moment, plural

MIN_FRAMED = 5
FEW = 2  # at the end or the start of a log, where a change of format would look the same
MIN_AROUND_FEW = 20  # framed values that a few at an end are held against
MAX_OFFSETS = 50
SHOWN_BYTES = 60
LATE_MS = 60_000  # a group that reads has passed a record after so long, or has not come past it
NUMBER_BYTES = 8  # numbers from 2 to the power of 24 on look framed, smaller and negative ones do not
ID_HEADERS = ("__{}_schema_id", "apicurio.{}.globalId", "apicurio.{}.contentId", "apicurio.{}.artifactId")
SHAPES = {
    "object": "JSON",
    "array": "JSON",
    "string": "JSON",
    "encoded_object": "JSON",
    "scalar": "JSON",
    "null_text": "the text null",
    "connect_null": "JSON",
    "empty": "an empty value",
    "text": "text",
    "binary": "other bytes",
}
CANDIDATES = f"""
    SELECT {REPLICA_COLUMNS}, framed, 'value' AS part
    FROM value_forms JOIN ({FRAMED}) USING ({REPLICA_COLUMNS})
    WHERE form <> 'framed' AND framed >= {MIN_FRAMED} GROUP BY ALL ORDER BY {REPLICA_COLUMNS}
"""
# Binary keys that begin otherwise show that a key is a structure of the application's own, whose first byte can be 0x00.
KEY_CANDIDATES = f"""
    SELECT {REPLICA_COLUMNS}, count(*) FILTER (key_form = 'framed') AS framed, 'key' AS part
    FROM records WHERE key_form IS NOT NULL AND {APPLICATIONS} GROUP BY ALL
    HAVING framed >= {MIN_FRAMED} AND count(*) > framed AND NOT bool_or(key_form = 'binary') AND framed >= {RECORDS_PER_ID} * count(DISTINCT key_schema_id)
    ORDER BY {REPLICA_COLUMNS}
"""
HAS_ID_HEADER = " OR ".join(
    f"list_contains(list_transform(headers, lambda h: h.key), '{name.format('{part}')}'::BLOB)"
    for name in ID_HEADERS
)
COUNTED = f"""
    SELECT count(*) AS unframed, min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[:{MAX_OFFSETS}] AS offsets, list(DISTINCT {{part}}_form ORDER BY {{part}}_form) AS forms,
        arg_min({{part}}[:{SHOWN_BYTES}], "offset") AS sample, min(timestamp_ms) AS first_ms, max(timestamp_ms) AS last_ms,
        list(DISTINCT producer_id) FILTER (producer_id >= 0) AS producers,
        bool_and({{part}}_form = 'binary' AND {{part}}_size_bytes = {NUMBER_BYTES}) AS may_be_numbers
    FROM records WHERE {{replica}} AND {{part}}_form IS NOT NULL AND {{part}}_form <> 'framed' AND {APPLICATIONS}
        AND NOT coalesce({HAS_ID_HEADER}, false)
"""
AROUND = f"""
    SELECT count(*) FILTER ("offset" < {{first}}) AS before, count(*) FILTER ("offset" > {{first}}) AS later,
        count(*) FILTER ("offset" > {{last}}) AS behind, bool_and({{part}}_size_bytes = {NUMBER_BYTES}) AS may_be_numbers,
        max(timestamp_ms) AS last_ms
    FROM records WHERE {{replica}} AND {{part}}_form = 'framed' AND {APPLICATIONS}
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition for its values, and one for its keys if other records are concerned."""
    reported: dict[PartitionReplica, set[int]] = {}
    for candidate in [*prepared(tables).rows(CANDIDATES), *tables.rows(KEY_CANDIDATES)]:
        replica, side = replica_of(candidate), candidate["part"]
        counted = tables.rows(COUNTED.format(replica=is_of(replica), part=side))[0]
        if not counted["unframed"] or reported.get(replica, set()).issuperset(counted["offsets"]):
            continue
        around = tables.rows(
            AROUND.format(
                replica=is_of(replica), part=side, first=counted["first_offset"], last=counted["last_offset"]
            )
        )[0]
        if counted["may_be_numbers"] and around["may_be_numbers"]:
            continue
        row = {**candidate, **counted, **{f"framed_{name}": count for name, count in around.items()}}
        if is_poison(row):
            reported[replica] = set(row["offsets"])
            yield {**row, "groups": stopped(row, row["offsets"], tables) if is_passed(row) else []}


def is_passed(row: Row) -> bool:
    """Whether the log has gone on for so long that a group that has just read all before the record would have passed it."""
    return max(row["framed_last_ms"] or 0, row["last_ms"] or 0) - (row["first_ms"] or 0) >= LATE_MS


def is_poison(row: Row) -> bool:
    """Whether framed values are on both sides, so that the format did not change; a few at one end among many framed ones count."""
    if row["framed_before"] and row["framed_later"]:
        return bool(2 * row["framed_later"] >= row["unframed"])
    at_start = row["framed_before"] == 0 and row["first_offset"] == 0
    at_end = row["framed_later"] == 0
    return bool(row["unframed"] <= FEW and row["framed"] >= MIN_AROUND_FEW and (at_start or at_end))


def describe(row: Row) -> Finding:
    """The row in words."""
    offsets = list(row["offsets"])
    count, name = row["unframed"], words.partition_name(row)
    first = ", the first" if count > OFFSETS_NAMED else ""
    in_key = " in the key" if row["part"] == "key" else ""
    is_sure = bool(row["framed_before"] and row["framed_behind"])
    return Finding(
        detector=detector.id,
        severity="high" if row["groups"] else "medium",
        confidence="proven" if is_sure else "likely",
        title=(
            f"Deserializers fail at {plural(count, 'record')} of {name}: no schema ID{in_key}{first} at {at_offsets(offsets[:OFFSETS_NAMED])}"
        ),
        explanation=explanation(row),
        **located(row, offsets[0], row["last_offset"]),
        entity=f"unframed-{row['part']}s",
        entities={f"record:{offset}" for offset in offsets},
        evidence=offsets[:OFFSETS_NAMED],
        effects=on_records("unreadable", row, offsets, whom="consumers"),
        remedy=remedy(row),
        event=f"poison:{partition_name(row['topic'], row['partition'])}:{offsets[0]}",
        since_ms=row["first_ms"],
        references=detector.references,
    )


def explanation(row: Row) -> str:
    """What the values are, what they should be, who stops."""
    shapes = list(dict.fromkeys(SHAPES.get(form, form) for form in row["forms"]))
    sample = bytes(row["sample"] or b"")
    beginning = (
        f" The {row['part']} at offset {marked.offset(row['first_offset'])} begins with {marked.quote(sample.decode('utf-8', 'replace'))}."
        if sample and "binary" not in row["forms"]
        else ""
    )
    others = (
        ""
        if row["framed_before"] and row["framed_behind"]
        else f" All other {row['part']}s are framed, but these are at one end of the log: the format can also have changed there."
    )
    producers = row["producers"] or []
    by = (
        f" Producer ID {listed([marked.number(producer) for producer in producers])} wrote them."
        if producers
        else ""
    )
    return (
        f"{plural(row['framed'], row['part'])} of the partition begin with the byte 0x00 and a schema ID in 4 bytes. "
        f"{'This one does' if row['unframed'] == 1 else 'These do'} not: {'it is' if row['unframed'] == 1 else 'they are'} "
        f"{listed(shapes)}.{beginning} First written at {moment(row['first_ms'])}.{by}{others} A consumer with a schema registry's deserializer "
        f'fails there with "Unknown magic byte", and a sink connector\'s task fails. It reads the same record again after each restart.{held_up(row)}'
    )


def held_up(row: Row) -> str:
    """The groups that stand before such a record."""
    if not row["groups"]:
        return ""
    groups = [
        f"{marked.entity(group, 'group')} (offset {marked.offset(committed)})"
        for group, committed in row["groups"][:5]
    ]
    return f" These groups have committed the offset of such a record, so they have not processed it: {listed(groups)}."


def remedy(row: Row) -> str:
    """Skip the record, then its producer."""
    first = row["offsets"][0]
    return detector.remedy(
        topic=row["topic"],
        partition=row["partition"],
        first=first,
        next_offset=first + 1,
        group=row["groups"][0][0] if row["groups"] else None,
    )


detector = Detector(
    id="unframed-value",
    title="Value without a schema ID among others with one",
    find=find,
    describe=describe,
    headline=clause("deserializers fail at records of {partitions} that have no schema ID"),
    rows_of="records",
    needs=frozenset({"contents", "exact-bytes"}),
    family="poison-pill",
    scope="partition",
)
