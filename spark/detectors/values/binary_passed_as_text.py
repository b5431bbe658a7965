"""Binary passed as text: bytes that are no UTF-8 were replaced by U+FFFD (EF BF BD), because a program read binary values as text and wrote them again.

Innocent: values with any byte that is no UTF-8; text; dumps, whose tool can have done it; a few values with U+FFFD, or U+FFFD between letters alone, which is in the source's text.
Page: docs/detectors/binary-passed-as-text.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors import _words as words
from spark.detectors._effects import on_records
from spark.detectors.values._forms import APPLICATIONS, prepared
from spark.tables.replica import REPLICA_COLUMNS, Row, is_of, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment, plural

MIN_DAMAGED = 5
SAMPLED_OFFSETS = 200  # at the end of a partition: a producer that does so does it to all values
MAX_OFFSETS = 50
IN_SEGMENTS = "file IN (SELECT file FROM files WHERE kind = 'segment')"  # a tool that prints values replaces such bytes itself
CANDIDATES = f"""
    SELECT {REPLICA_COLUMNS}, max(last_offset) AS last_offset FROM value_forms WHERE form IN ('framed', 'binary')
    GROUP BY {REPLICA_COLUMNS} HAVING sum(records) >= {MIN_DAMAGED} ORDER BY {REPLICA_COLUMNS}
"""
# Two replaced bytes in a row, or a control character behind one: in text the source itself had damaged, letters are around it.
COUNTED = f"""
    WITH texts AS (
        SELECT "offset", timestamp_ms, TRY(decode(value)) AS text FROM records
        WHERE {{replica}} AND "offset" >= {{first}} AND {APPLICATIONS} AND {IN_SEGMENTS} AND value_form IN ('framed', 'binary')
    ),
    told AS (
        SELECT "offset", timestamp_ms, text IS NULL AS is_binary, coalesce(contains(text, chr(65533)), false) AS has_replaced,
            coalesce(regexp_matches(text, '\\x{{{{FFFD}}}}[\\x00-\\x08\\x0E-\\x1F\\x{{{{FFFD}}}}]'), false) AS is_damaged
        FROM texts
    ),
    ends AS (SELECT coalesce(max("offset") FILTER (is_binary), -1) AS last_binary, count(*) FILTER (is_binary) AS binaries FROM told)
    SELECT last_binary, binaries, count(*) FILTER (has_replaced) AS replaced, count(*) FILTER (is_damaged) AS damaged, count(*) AS later,
        min("offset") FILTER (has_replaced) AS first_offset, max("offset") FILTER (has_replaced) AS last_offset,
        list("offset" ORDER BY "offset") FILTER (has_replaced)[:{MAX_OFFSETS}] AS offsets,
        min(timestamp_ms) FILTER (has_replaced) AS first_ms
    FROM told, ends WHERE "offset" > last_binary GROUP BY last_binary, binaries
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition."""
    for candidate in prepared(tables).rows(CANDIDATES):
        replica = is_of(replica_of(candidate))
        first = candidate["last_offset"] - SAMPLED_OFFSETS
        sampled = tables.rows(COUNTED.format(replica=replica, first=first))
        if sampled and is_damaged(sampled[0]):
            (whole,) = tables.rows(COUNTED.format(replica=replica, first=0))
            yield {**candidate, **whole}


def is_damaged(row: Row) -> bool:
    """Whether most of the values behind the last one with other bytes than text are damaged."""
    return bool(row["damaged"] >= MIN_DAMAGED and 2 * row["damaged"] >= row["later"])


def describe(row: Row) -> Finding:
    """The row in words."""
    name, offsets = words.partition_name(row), list(row["offsets"])
    before = (
        f"Up to offset {marked.offset(row['last_binary'])}, {plural(row['binaries'], 'value')} of the partition contain bytes that are no text. After it, no value does."
        if row["binaries"]
        else "No binary value of the partition contains a byte that is no text, although numbers and lengths in binary formats do."
    )
    return Finding(
        detector=detector.id,
        severity="high",
        confidence="proven" if row["binaries"] else "likely",
        title=f"{plural(row['replaced'], 'binary value')} of {name} {'is' if row['replaced'] == 1 else 'are'} damaged from offset {marked.offset(row['first_offset'])} on: bytes were replaced by U+FFFD",
        explanation=(
            f"{before} Instead, {plural(row['replaced'], 'value')} of {plural(row['later'], 'value')} contain EF BF BD, the UTF-8 form of U+FFFD. A program writes "
            "it for bytes that it cannot read as text. So the values were read as UTF-8 text and written again, by the producer or by a copy between two topics. "
            f"The bytes before that are lost. Consumers fail at these values, or read wrong numbers and lengths. First written at {moment(row['first_ms'])}."
        ),
        **located(row),
        entity="passed-as-text",
        evidence=offsets[:3],
        effects=on_records("lost", row, offsets, whom="consumers"),
        remedy=detector.remedy(first=row["first_offset"]),
        since_ms=row["first_ms"],
        references=detector.references,
    )


detector = Detector(
    id="binary-passed-as-text",
    title="Binary values that passed through text",
    find=find,
    describe=describe,
    headline=clause("binary values of {partitions} are damaged: a program wrote them as text"),
    rows_of="records",
    scope="partition",
    needs=frozenset({"contents", "exact-bytes"}),
    one_cause="topic",
)
