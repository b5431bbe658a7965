"""Rows the Apicurio detectors share: content records, and the artifact versions that need them.

A *fact* is one record about one content: `content` names the content, the struct `fact` says what the record is.

    full | empty | other      a content record: with content, an UPDATE without it, anything else of its key
    held                      a version the registry holds; `offset` is the last copy of its artifact record
    lacking                   an artifact record it drops for want of the content
    gone                      a version that needed the content and was deleted
    foreign                   an UPDATE for a content that another tenant owns
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

WHERE = ("topic", "partition", "replica")
LACKING = ("content-missing", "content-null", "content-later")
FALLEN = "artifact-missing"
VERSION = "struct<offset:bigint,label:string,content:string,content_id:string,kind:string>"
FACT = (
    "struct<kind:string,offset:bigint,content_id:string,record_key:string,label:string,"
    f"later:array<{VERSION}>>"
)  # fmt: skip
_CONTENT_MEMBERS = "tenantId string, contentHash string, contentId string, has_content boolean"
_VERSION_MEMBERS = "tenantId string, contentHash string, contentId string, record_offset bigint"


def content_facts(entries: DataFrame) -> DataFrame:
    """One row per content record. Two of them share a key when type and content id agree."""
    records = entries.filter(
        F.col("entry_type").isin("Content", "ContentV2") & F.col("attributes").isNotNull()
    )
    read = records.withColumn("member", F.from_json("attributes", _CONTENT_MEMBERS))
    is_empty_update = (F.col("entry_type") == "Content") & (F.col("entry_action") == "update")
    kind = F.when(F.col("member.has_content"), "full").when(is_empty_update, "empty").otherwise("other")
    fact = F.struct(
        kind.alias("kind"),
        "offset",
        F.col("member.contentId").alias("content_id"),
        F.concat_ws(" ", "entry_type", "member.contentId").alias("record_key"),
        F.lit(None).cast("string").alias("label"),
        F.lit(None).cast(f"array<{VERSION}>").alias("later"),
    )
    named = read.select(*WHERE, content_name().alias("content"), fact.cast(FACT).alias("fact"))
    return cast("DataFrame", named.filter(F.col("content").isNotNull()))


def content_name() -> Column:
    """The content an entry's or version's members name; null when they name none."""
    return F.concat(
        F.lit("content:"), F.coalesce("member.tenantId", F.lit("_")), F.lit("/"), F.col("member.contentHash")
    )


def version_facts(state: DataFrame, refusals: DataFrame) -> DataFrame:
    """One row per version that needs a content, with the later versions that stand and fall with it."""
    versions = held_versions(state).unionByName(refused_versions(refusals))
    artifact = F.regexp_replace(F.col("version.label"), "/[^/]*$", "")
    families = versions.groupBy(*WHERE, artifact.alias("artifact")).agg(
        F.collect_list("version").alias("family"), F.min("version.offset").alias("first_offset")
    )
    members = families.select(*WHERE, F.explode(F.transform("family", with_later_versions)).alias("fact"))
    needing = members.filter(F.col("fact.kind") != FALLEN)
    return cast(
        "DataFrame",
        needing.select(*WHERE, F.col("fact.content").alias("content"), fact_of_version().alias("fact")),
    )


def held_versions(state: DataFrame) -> DataFrame:
    """Versions as the replay holds them at the end, and those it held once."""
    rows = state.filter(F.col("entity_type") == "version")
    read = rows.withColumn("member", F.from_json("attributes", _VERSION_MEMBERS))
    kind = F.when(F.col("valid_to_offset").isNull(), "held").otherwise("gone")
    return read.select(
        *WHERE,
        F.struct(
            F.col("member.record_offset").alias("offset"),
            F.col("entity_id").alias("label"),
            content_name().alias("content"),
            F.col("member.contentId").alias("content_id"),
            kind.alias("kind"),
        ).alias("version"),
    )


def refused_versions(refusals: DataFrame) -> DataFrame:
    """Versions the replay drops because something they need is not there."""
    reason = F.col("reason")
    kind = (
        F.when(reason.isin(*LACKING), "lacking")
        .when(reason == FALLEN, FALLEN)
        .when(reason == "deleted-later", "gone")
    )
    rows = refusals.filter((F.col("entity_type") == "version") & kind.isNotNull())
    version = F.struct(
        "offset",
        F.col("entity_id").alias("label"),
        F.col("needs").alias("content"),
        F.lit(None).cast("string").alias("content_id"),
        kind.alias("kind"),
    )
    return rows.select(*WHERE, version.alias("version"))


def with_later_versions(version: Column) -> Column:
    """The first version of an artifact carries its later ones: without it, the registry drops them too."""
    later = F.filter(
        "family", lambda other: (other["offset"] > version["offset"]) & (other["kind"] != "gone")
    )
    is_first = version["offset"] == F.col("first_offset")
    return F.struct(
        *(version[name].alias(name) for name in ("kind", "offset", "label", "content", "content_id")),
        F.when(is_first, later).alias("later"),
    )


def fact_of_version() -> Column:
    """A version as a fact about the content it needs."""
    return F.struct(
        "fact.kind",
        "fact.offset",
        "fact.content_id",
        F.lit(None).cast("string").alias("record_key"),
        "fact.label",
        "fact.later",
    ).cast(FACT)


def foreign_facts(refusals: DataFrame) -> DataFrame:
    """One row per UPDATE for a content of another tenant."""
    rows = refusals.filter((F.col("entity_type") == "content") & (F.col("reason") == "other-tenant"))
    nothing = F.lit(None).cast("string")
    fact = F.struct(
        F.lit("foreign").alias("kind"),
        "offset",
        F.col("entity_id").alias("content_id"),
        nothing.alias("record_key"),
        nothing.alias("label"),
        F.lit(None).cast(f"array<{VERSION}>").alias("later"),
    )
    return rows.select(*WHERE, F.col("needs").alias("content"), fact.cast(FACT).alias("fact"))
