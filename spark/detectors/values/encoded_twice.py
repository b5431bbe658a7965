"""Encoded twice: values that are a JSON string whose text is a JSON object, among objects, from an offset on.

A producer serialized text that was JSON already. Innocent: always so from the start of the log; free text in quotes that only looks like
an object; objects again after them, which is a corrected fault. Low where the objects have no member in common, and where both forms can
have been mixed from the start on: then the objects before the first such value are chance. Page: docs/detectors/encoded-twice.md
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors import _words as words
from spark.detectors._effects import on_partition
from spark.detectors.values._forms import APPLICATIONS, prepared
from spark.tables.replica import REPLICA_COLUMNS, Row, is_of, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, moment, plural

MIN_OBJECTS = 3  # before the first one: the topic is one of objects
MAX_CHANCE = 0.05  # that a mixture begins with so many objects
SAMPLE = 20  # values that are parsed
SHOWN_CHARACTERS = 60
CANDIDATES = f"""
    WITH encoded AS (SELECT *, first_offset AS first_encoded FROM value_forms WHERE form = 'encoded_object')
    SELECT {REPLICA_COLUMNS}, encoded.records AS encoded, first_encoded, encoded.last_offset
    FROM encoded JOIN value_forms objects USING ({REPLICA_COLUMNS})
    WHERE objects.form = 'object' AND objects.first_offset < first_encoded ORDER BY {REPLICA_COLUMNS}
"""
AROUND = f"""
    SELECT count(*) FILTER (value_form = 'object' AND "offset" < {{first}}) AS before,
        count(*) FILTER (value_form = 'object' AND "offset" > {{first}}) AS later,
        list("offset" ORDER BY "offset") FILTER (value_form = 'encoded_object') AS offsets,
        min(timestamp_ms) FILTER (value_form = 'encoded_object') AS first_ms
    FROM records WHERE {{replica}} AND {APPLICATIONS} AND value_form IN ('object', 'encoded_object')
"""
VALUES = f"""
    SELECT value FROM records WHERE {{replica}} AND value_form = '{{form}}' AND {APPLICATIONS} ORDER BY "offset" LIMIT {SAMPLE}
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition."""
    for candidate in prepared(tables).rows(CANDIDATES):
        replica = is_of(replica_of(candidate))
        values, objects = (
            [bytes(row["value"]) for row in tables.rows(VALUES.format(replica=replica, form=form))]
            for form in ("encoded_object", "object")
        )
        inner = [names for names in map(inner_members, values) if names is not None]
        if 2 * len(inner) < len(values):
            continue
        members = set().union(*(members_of(value) or () for value in objects))
        around = tables.rows(AROUND.format(replica=replica, first=candidate["first_encoded"]))[0]
        if around["before"] >= MIN_OBJECTS:
            yield {
                **candidate,
                **around,
                "sample": values[0],
                "is_alike": any(members & names for names in inner),
                "is_mixed": is_mixed(around["before"], around["later"], candidate["encoded"]),
            }


def is_mixed(before: int, later: int, encoded: int) -> bool:
    """Whether a mixture with this share of encoded values could begin with so many objects: then nothing began."""
    return bool((later / (later + encoded)) ** before > MAX_CHANCE)


def members_of(value: bytes | str) -> set[str] | None:
    """The names of a JSON object's members; None: it is no object."""
    try:
        document = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return set(document) if isinstance(document, dict) else None


def inner_members(value: bytes) -> set[str] | None:
    """The same of the text of a JSON string."""
    try:
        text = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return members_of(text) if isinstance(text, str) else None


def describe(row: Row) -> Finding:
    """The row in words."""
    offsets = list(row["offsets"])[:OFFSETS_NAMED]
    first = ", the first" if row["encoded"] > len(offsets) else ""
    others = (
        f"{plural(row['later'], 'later value')} {'is' if row['later'] == 1 else 'are'} correct, so likely one of several producers encodes twice"
        f"{', perhaps since the start of the topic' if row['is_mixed'] else ''}"
        if row["later"]
        else "No later value is a JSON object: likely the producer was changed"
    )
    is_change = row["is_alike"] and not row["is_mixed"]
    sample = row["sample"].decode("utf-8", "replace")[:SHOWN_CHARACTERS]
    return Finding(
        detector=detector.id,
        severity="medium" if row["encoded"] > 1 and is_change else "low",
        confidence="proven" if is_change else "likely",
        title=f"{plural(row['encoded'], 'value')} of {words.partition_name(row)} {'is' if row['encoded'] == 1 else 'are'} encoded as JSON twice{first} at {at_offsets(offsets)}",
        explanation=(
            f"The value at offset {marked.offset(offsets[0])} is a JSON string that contains an object: {marked.quote(sample)}. The "
            f"{plural(row['before'], 'value')} before it are JSON objects{'' if row['is_alike'] else ' with other members, so these can be messages of another kind'}. {others}. First written at {moment(row['first_ms'])}. A consumer that "
            "expects an object fails at such a value, or stores it as one text without fields."
        ),
        **located(row, offsets[0], row["last_offset"]),
        entity="encoded-twice",
        evidence=offsets,
        effects=on_partition("misread", row["topic"], row["partition"], "consumers"),
        remedy=detector.remedy(),
        references=detector.references,
    )


detector = Detector(
    id="encoded-twice",
    title="Values encoded as JSON twice",
    find=find,
    describe=describe,
    headline=clause("values of {partitions} are encoded as JSON twice"),
    rows_of="records",
    scope="partition",
    needs=frozenset({"contents", "exact-bytes"}),
    one_cause="topic",
)
