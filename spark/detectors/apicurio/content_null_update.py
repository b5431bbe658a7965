"""Content UPDATE without content: compaction keeps it and takes the record that held the content.

Innocent: a record that compaction keeps holds the content before the last copy of every artifact record that needs
it. Page: docs/detectors/content-null-update.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from spark.detectors import Detector, Row, Tables
from spark.detectors.apicurio import _content_words as words
from spark.detectors.apicurio._content_case import case_of
from spark.detectors.apicurio._contents import collect, harmed
from spark.detectors.apicurio._repair import REFERENCES
from spark.findings import Finding

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

WHERE = ("topic", "partition", "replica")
VERSION = pa.struct([("label", pa.string()), ("offset", pa.int64())])
FOUND = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("replica", pa.string()),
        ("content", pa.string()),
        ("content_id", pa.string()),
        ("status", pa.string()),
        ("held_by", pa.list_(pa.int64())),
        ("kept", pa.list_(pa.int64())),
        ("updates", pa.list_(pa.int64())),
        ("needs", pa.list_(pa.struct([*VERSION, ("lacking", pa.bool_())]))),
        ("gone", pa.list_(pa.string())),
        ("later_versions", pa.list_(VERSION)),
        ("restart_offset", pa.int64()),
        ("starts_at_zero", pa.bool_()),
    ]
)


def find(tables: Tables) -> DataFrame | None:
    """One row per content (hash and id) that an empty UPDATE took or will take.

    Only what concerns contents travels, and one Python task judges a partition: as Spark expressions the same
    rules take seconds to plan and compile, which a small dump would wait for.
    """
    facts = (
        content_rows(tables["entries"])
        .unionByName(version_rows(tables["state"]))
        .unionByName(refusal_rows(tables["refusals"]))
    )
    return cast("DataFrame", facts.groupBy(*WHERE).applyInArrow(judge, from_arrow_schema(FOUND)))


def content_rows(entries: DataFrame) -> DataFrame:
    """Content records, restarts, and the very first record."""
    is_content = F.col("entry_type").isin("Content", "ContentV2")
    wanted = entries.filter(is_content | (F.col("entry_action") == "restart") | (F.col("offset") == 0))
    attributes = F.when(is_content, F.col("attributes"))
    return rows_of(wanted, "entries", F.col("offset"), "entry_type", F.col("entry_action"), attributes)


def version_rows(state: DataFrame) -> DataFrame:
    """Versions at the end, and versions that are gone."""
    kind = F.when(F.col("valid_to_offset").isNull(), "held").otherwise("gone")
    versions = state.filter(F.col("entity_type") == "version")
    return rows_of(versions, "state", F.col("valid_from_offset"), "entity_type", kind, F.col("attributes"))


def refusal_rows(refusals: DataFrame) -> DataFrame:
    """What the registry drops."""
    wanted = refusals.filter(F.col("entity_type").isin("version", "content"))
    return rows_of(wanted, "refusals", F.col("offset"), "entity_type", F.col("reason"), None, F.col("needs"))


def rows_of(
    frame: DataFrame,
    table: str,
    offset: Column,
    kind: str,
    action: Column,
    attributes: Column | None,
    needs: Column | None = None,
) -> DataFrame:
    """Rows of three tables under one schema."""
    nothing = F.lit(None).cast("string")
    return frame.select(
        *WHERE,
        F.lit(table).alias("table"),
        offset.alias("offset"),
        F.col(kind).alias("type"),
        action.alias("action"),
        (F.col("entity_id") if table != "entries" else nothing).alias("entity_id"),
        (nothing if attributes is None else attributes).alias("attributes"),
        (nothing if needs is None else needs).alias("needs"),
    )


def judge(rows: pa.Table) -> pa.Table:
    """The findings of one partition."""
    where = {name: rows.column(name)[0].as_py() for name in WHERE}
    found = harmed(collect(rows.drop_columns(list(WHERE)).to_pylist()))
    return pa.Table.from_pylist([{**where, **row} for row in found], schema=FOUND)


def describe(row: Row) -> Finding:
    """The row in words."""
    case = case_of(row)
    return Finding(
        detector="content-null-update",
        severity=words.severity(case),
        title=words.title(case),
        explanation=words.explanation(case),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=case.updates[0],
        last_offset=case.updates[-1],
        confidence="proven" if case.status == "at_risk" or case.needs else "likely",
        entity=f"{row['content']}#{case.content_id}",
        evidence=words.evidence(case),
        remedy=words.remedy(case),
        references=REFERENCES,
        entities=words.entities(case, row["content"]),
    )


detector = Detector(
    id="content-null-update",
    title="Content replaced by nothing",
    find=find,
    describe=describe,
    headline=words.headline,
    dialects=("apicurio-v2",),
    rows_of="entries",
)
