"""Object printed as text: a value is not the object but what a language prints of it, such as `[B@1f32e575`, `[object Object]` or `Struct{id=1}`.

Of the first two the content is lost. Innocent: such words within a longer text; JSON arrays and objects; a topic whose values are always printed
structures, which is low. Page: docs/detectors/object-printed-as-text.md
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from spark.detectors import Detector, clause, located
from spark.detectors import _words as words
from spark.detectors._effects import on_records
from spark.detectors.values._forms import APPLICATIONS, AS_STORED, prepared
from spark.tables.replica import REPLICA_COLUMNS, Row, literal, quoted, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding, Severity
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, moment, plural

MANY = 3  # one or two may be a trial
FEW_RECORDS = 1000  # of a form in a partition: all are looked at, else the first and the last
MAX_OFFSETS = 50
SHOWN_BYTES = 60


class ObjectPrint(NamedTuple):
    """How a language prints an object: the whole value in RE2, who prints it, whether the content is in it."""

    pattern: str
    who: str
    is_kept: bool = False


PRINTS = {
    "java": ObjectPrint(
        r"\[+([BCDFIJSZ]|L[\w.$]+;)@[0-9a-f]{1,8}|([a-z_]\w*\.){2,}[A-Z][\w$]*@[0-9a-f]{4,8}",
        "Java prints this for an object without a toString method of its class: its type and a hash",
    ),
    "javascript": ObjectPrint(r"\[object [A-Z]\w*\]", "JavaScript prints this for an object"),
    "dotnet": ObjectPrint(
        r"System\.(Byte|Char|Object|String)\[\]|System\.Collections\.Generic\.\w+`\d\[.*\]",
        ".NET prints this for an array or a list: its type",
    ),
    "python": ObjectPrint(
        r"<[\w.]+ object at 0x[0-9a-f]+>", "Python prints this for an object without a method for its text"
    ),
    "connect": ObjectPrint(
        r"Struct\{.*\}", "Kafka Connect's StringConverter writes this for a structure", is_kept=True
    ),
    "python-bytes": ObjectPrint(r"b'.*'|b\".*\"", "Python prints this for bytes", is_kept=True),
    "python-dict": ObjectPrint(r"\{'[^']*': .*\}", "Python prints this for a dictionary", is_kept=True),
    "java-map": ObjectPrint(r"\{[A-Za-z_]\w*=.*\}", "Java prints this for a map", is_kept=True),
}


def full_match(pattern: str) -> str:
    """SQL that is a format: whether the whole value is this."""
    escaped = quoted(f"(?s){pattern}").replace("{", "{{").replace("}", "}}")
    return f"regexp_full_match(TRY(decode(value)), {escaped})"


ANY = full_match("|".join(f"(?:{printed.pattern})" for printed in PRINTS.values()))
CASES = " ".join(f"WHEN {full_match(printed.pattern)} THEN '{name}'" for name, printed in PRINTS.items())
KIND = f"CASE {CASES} END"
FORMS = "('text', 'array', 'object')"
CANDIDATES = f"SELECT {REPLICA_COLUMNS}, form, records, first_offset, last_offset FROM value_forms WHERE form IN {FORMS}"
READ = f"{APPLICATIONS} AND {AS_STORED}"
# Of all partitions at once: a question for each would read the table as often as there are partitions.
LOOK = f"""
    SELECT DISTINCT {REPLICA_COLUMNS} FROM records JOIN ({CANDIDATES}) AS sample USING ({REPLICA_COLUMNS})
    WHERE value_form = form AND {READ} AND {{values}} AND {ANY}
"""
EACH = f'"offset" BETWEEN {{first}} AND {{last}} AND "offset" BETWEEN sample.first_offset AND sample.last_offset AND sample.records <= {FEW_RECORDS}'
ENDS = f'"offset" IN ({{offsets}}) AND "offset" IN (sample.first_offset, sample.last_offset) AND sample.records > {FEW_RECORDS}'
COUNTED = f"""
    SELECT {REPLICA_COLUMNS}, kind, count(*) AS printed, min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[:{MAX_OFFSETS}] AS offsets, arg_min(value[:{SHOWN_BYTES}], "offset") AS sample,
        min(timestamp_ms) AS first_ms, max(timestamp_ms) AS last_ms, any_value(total) AS total
    FROM (SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms, value, {KIND} AS kind FROM records
          WHERE ({REPLICA_COLUMNS}) IN ({{suspects}}) AND value_form IN {FORMS} AND {READ})
    JOIN (SELECT {REPLICA_COLUMNS}, sum(records)::BIGINT AS total FROM value_forms GROUP BY ALL) USING ({REPLICA_COLUMNS})
    WHERE kind IS NOT NULL GROUP BY {REPLICA_COLUMNS}, kind ORDER BY {REPLICA_COLUMNS}, kind
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition and language."""
    candidates = prepared(tables).rows(CANDIDATES)
    suspects = {
        replica_of(row) for values in looked_at(candidates) for row in tables.rows(LOOK.format(values=values))
    }
    if not suspects:
        return []
    return tables.rows(COUNTED.format(suspects=", ".join(map(literal, sorted(suspects)))))


def looked_at(candidates: Sequence[Row]) -> Iterator[str]:
    """Which values are looked at: all of a form with few records, of another the first and the last."""
    few = [row for row in candidates if row["records"] <= FEW_RECORDS]
    many = [row for row in candidates if row["records"] > FEW_RECORDS]
    if few:
        yield EACH.format(
            first=min(row["first_offset"] for row in few), last=max(row["last_offset"] for row in few)
        )
    if many:
        ends = {row[end] for row in many for end in ("first_offset", "last_offset")}
        yield ENDS.format(offsets=", ".join(map(str, sorted(ends))))


def describe(row: Row) -> Finding:
    """The row in words."""
    kind = PRINTS[row["kind"]]
    offsets, count, name = list(row["offsets"]), row["printed"], words.partition_name(row)
    sample = marked.quote(row["sample"].decode("utf-8", "replace"))
    first = ", the first" if count > OFFSETS_NAMED else ""
    clause_of_one = (
        "contains its content as printed text, which no JSON reader accepts"
        if kind.is_kept
        else "has lost its content"
    )
    many = (
        "contain their content as printed text, which no JSON reader accepts"
        if kind.is_kept
        else "have lost their content"
    )
    result = (
        "The content is in the text, but not as JSON: a consumer that parses JSON fails there, and values with commas or braces are ambiguous."
        if kind.is_kept
        else "The content of the object is not in the record, so nothing in this topic can bring it back."
    )
    return Finding(
        detector=detector.id,
        severity=severity(row),
        title=f"{plural(count, 'value')} of {name} {clause_of_one if count == 1 else many}: {sample}{first} at {at_offsets(offsets[:OFFSETS_NAMED])}",
        explanation=(
            f"{kind.who}. The producer turned the object into text instead of serializing it. {result} "
            f"{plural(row['total'] - count, 'other value')} of the partition {'has' if row['total'] - count == 1 else 'have'} another form. First written at "
            f"{moment(row['first_ms'])}, last at {moment(row['last_ms'])}."
        ),
        **located(row),
        entity=f"printed:{row['kind']}",
        evidence=offsets[:OFFSETS_NAMED],
        effects=on_records("misread" if kind.is_kept else "lost", row, offsets, whom="consumers"),
        remedy=detector.remedy("Printed structures" if kind.is_kept else "Lost content"),
        since_ms=row["first_ms"],
        references=detector.references,
    )


def severity(row: Row) -> Severity:
    """By what is lost; consumers of a topic that always holds printed structures may be made for them."""
    if not PRINTS[row["kind"]].is_kept:
        return "high" if row["printed"] >= MANY else "medium"
    return "low" if row["printed"] == row["total"] else "medium"


detector = Detector(
    id="object-printed-as-text",
    title="Objects printed as text instead of serialized",
    find=find,
    describe=describe,
    headline=clause("values of {partitions} are printed objects"),
    rows_of="records",
    scope="partition",
    needs=frozenset({"contents", "exact-bytes"}),
    one_cause="topic",
)
