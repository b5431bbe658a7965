"""Type header renamed: from an offset on, the header `__TypeId__` names a class of the same name in another package.

spring-kafka's JsonDeserializer creates the class that the header names. Innocent: other classes (several types in a topic); both names in turns;
a token without a package; groups that have read past it. Page: docs/detectors/type-header-renamed.md
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spark.detectors import Detector, clause, located
from spark.detectors import _words as words
from spark.detectors._effects import on_records
from spark.detectors.values._forms import APPLICATIONS
from spark.detectors.values._poison import commits
from spark.tables.replica import REPLICA_COLUMNS, Row, is_of, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.marked import partition_name
from spark.terms.typed_wording import listed, moment, plural

HEADER = "__TypeId__"
MIN_BEFORE = 3
LATE_MS = 600_000  # a group that has read all before the change commits well within this
NAMES = f"list_contains(list_transform(headers, lambda h: h.key), '{HEADER}'::BLOB)"
# First by the lengths of the lists alone, then by one record of each partition.
ANY = f"SELECT 1 FROM records WHERE len(headers) > 0 AND {APPLICATIONS} LIMIT 1"
WITH_HEADERS = f"""
    SELECT {REPLICA_COLUMNS}, max("offset") AS last_offset FROM records WHERE {APPLICATIONS} AND len(headers) > 0
    GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""
HAS = f'SELECT 1 FROM records WHERE {{replica}} AND "offset" = {{offset}} AND {NAMES}'
TYPES = f"""
    SELECT TRY(decode(list_filter(headers, lambda h: h.key = '{HEADER}'::BLOB)[-1].value)) AS type, count(*) AS records,
        min("offset") AS first_offset, max("offset") AS last_offset, arg_min(timestamp_ms, "offset") AS first_ms, max(timestamp_ms) AS last_ms
    FROM records WHERE {{replica}} AND {APPLICATIONS} AND {NAMES} GROUP BY type HAVING type IS NOT NULL ORDER BY first_offset
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition and change of a class."""
    for candidate in tables.rows(WITH_HEADERS) if tables.rows(ANY) else ():
        replica = is_of(replica_of(candidate))
        if not tables.rows(HAS.format(replica=replica, offset=candidate["last_offset"])):
            continue
        for before, after in renamed(list(tables.rows(TYPES.format(replica=replica)))):
            offsets = commits(candidate, tables)
            is_late = (after["last_ms"] or 0) - (after["first_ms"] or 0) >= LATE_MS
            stopped = [
                (group, offset) for group, offset in offsets if is_late and offset == after["first_offset"]
            ]
            if stopped or not any(offset > after["first_offset"] for _, offset in offsets):
                yield {**candidate, "before": before, "after": after, "groups": stopped}


def renamed(types: list[Row]) -> Iterator[tuple[Row, Row]]:
    """Pairs of types with one class name, of which the second begins behind the end of the first."""
    for after in types:
        earlier = [type_ for type_ in types if is_moved(type_["type"], after["type"])]
        if (
            len(earlier) == 1
            and earlier[0]["last_offset"] < after["first_offset"]
            and earlier[0]["records"] >= MIN_BEFORE
        ):
            yield earlier[0], after


def is_moved(former: str, other: str) -> bool:
    """Whether two names are of one class in two packages."""
    package, _, name = former.rpartition(".")
    other_package, _, other_name = other.rpartition(".")
    return bool(package and other_package) and name == other_name and package != other_package


def describe(row: Row) -> Finding:
    """The row in words."""
    before, after, groups = row["before"], row["after"], row["groups"]
    offset, name = after["first_offset"], words.partition_name(row)
    held_up = (
        f" {listed([marked.entity(group, 'group') for group, _ in groups[:5]])} {'has' if len(groups) == 1 else 'have'} committed exactly this offset, so the "
        "record there is not processed, though the newest record is more than 10 minutes younger."
        if groups
        else ""
    )
    return Finding(
        detector=detector.id,
        severity="high" if groups else "low",
        confidence="likely",
        title=(
            f"{'Consumers stop' if groups else 'Consumers can fail'} at offset {marked.offset(offset)} of {name}: from there on the header "
            f"{marked.name(HEADER)} names {marked.name(after['type'])} instead of {marked.name(before['type'])}"
        ),
        explanation=(
            f"{plural(before['records'], 'record')} up to offset {marked.offset(before['last_offset'])} have the one class in this header, {plural(after['records'], 'record')} from "
            f"{moment(after['first_ms'])} on the other. It has the same name and another package, so probably it was moved or another application "
            "writes it. JsonDeserializer of spring-kafka creates the class that the header names. A consumer without this class, or that does not trust "
            "its package, fails at the record (ClassNotFoundException, or: not in the trusted packages). Without ErrorHandlingDeserializer it "
            f"reads the record again and again.{held_up}"
        ),
        **located(row, offset, after["last_offset"]),
        entity=f"type:{after['type']}",
        entities={f"record:{offset}"},
        evidence=[before["last_offset"], offset],
        effects=on_records("unreadable" if groups else "at_risk", row, [offset], whom="consumers"),
        remedy=detector.remedy(before=before["type"], after=after["type"]),
        event=f"poison:{partition_name(row['topic'], row['partition'])}:{offset}",
        since_ms=after["first_ms"],
        references=detector.references,
    )


detector = Detector(
    id="type-header-renamed",
    title="Class in the type header was renamed",
    find=find,
    describe=describe,
    headline=clause("consumers of {partitions} do not know the new class in the header"),
    rows_of="records",
    needs=frozenset({"headers", "contents"}),
    family="poison-pill",
)
