"""Schema registered twice: live versions of one subject whose schemas say the same and are written differently.

Registries compare schemas as text. Innocent: another doc, default, alias, reference, metadata or rule; deleted versions; Protobuf.
Page: docs/detectors/schema-registered-twice.md
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import orjson

from spark.detectors import Detector, clause, located
from spark.detectors.schemas._avro_forms import JAVA_STRING, in_full
from spark.detectors.schemas._live_versions import LiveVersion, subjects
from spark.detectors.schemas._writes import DIALECT
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural, some

MANY = 5  # each change of a producer adds one
SHOWN = 10
AVRO, JSON = "AVRO", "JSON"


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per subject: the schema that has most versions."""
    for row, versions in subjects(tables):
        alike: dict[bytes, list[LiveVersion]] = defaultdict(list)
        for version in versions:
            if version.schema_type in (AVRO, JSON):
                alike[meaning(version)].append(version)
        most = max(alike.values(), key=len, default=[])
        if len({version.text for version in most}) > 1:
            yield {
                **row,
                "versions": most,
                "difference": difference(most),
                "others": len(versions) - len(most),
            }


def meaning(version: LiveVersion) -> bytes:
    """Equal for versions that differ only in how they are written."""
    schema = in_full(version.schema) if version.schema_type == AVRO else version.schema
    return version.schema_type.encode() + sorted_json(schema) + version.beside


def sorted_json(schema: object) -> bytes:
    """Independent of white space and of the order of members; a schema that nests too deep is equal to itself alone."""
    try:
        return orjson.dumps(schema, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return str(id(schema)).encode()


def difference(versions: list[LiveVersion]) -> str:
    """In what their texts differ."""
    if len({sorted_json(version.schema) for version in versions}) == 1:
        return "white space or the order of members"
    if len({JAVA_STRING in version.text for version in versions}) > 1:
        return f"the property {marked.name(JAVA_STRING)}, which Java's code generator adds"
    return "how the names of types are written"


def describe(row: Row) -> Finding:
    versions: list[LiveVersion] = row["versions"]
    offsets = sorted(version.offset for version in versions)
    subject = marked.entity(row["subject"], "subject")
    numbers = some([marked.number(version.version) for version in versions])
    return Finding(
        detector=detector.id,
        severity="medium" if len(versions) >= MANY else "low",
        title=f"{plural(len(versions), 'version')} of {subject} contain one schema: they differ only in {row['difference']}",
        explanation=(
            f"The schemas of versions {numbers} say the same. They differ only in {row['difference']}. A registry compares schemas as text, so each "
            "text has a version and an ID. A producer with `auto.register.schemas=false` fails with error 40403 (Schema not found) if its text "
            "differs from all of them. A producer that registers its schema adds another version."
        ),
        **located(row, *offsets),
        entity=f"subject:{row['subject']}",
        evidence=offsets[:SHOWN],
        remedy=detector.remedy(java_adds_the_property=JAVA_STRING in row["difference"]),
        references=detector.references,
        entities={f"schema:{version.subject}/{version.version}" for version in versions},
    )


detector = Detector(
    id="schema-registered-twice",
    title="One schema in several versions",
    find=find,
    describe=describe,
    headline=clause("{count} in several versions that differ only in form", "schema is", "schemas are"),
    rows_of="state",
    needs=frozenset({"key", "exact-bytes"}),
    dialects=(DIALECT,),
    one_cause="topic",
    befalls=("at_risk", "service"),
)
