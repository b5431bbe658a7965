"""Content UPDATE without content: compaction keeps it and takes the record that held the content.

    lost     no record holds the content any more
    late     records hold it again, but only after an artifact record that needs it
    at_risk  everything reads today; after the next compaction nothing stands before the artifact record

Innocent: a record that compaction keeps holds the content before the last copy of every artifact record that needs
it. Page: docs/detectors/content-null-update.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pyspark.sql import functions as F

from spark.detectors import Detector, Row, Tables
from spark.detectors.apicurio import _content_words as words
from spark.detectors.apicurio._content_case import case_of
from spark.detectors.apicurio._contents import WHERE, content_facts, foreign_facts, version_facts
from spark.detectors.apicurio._repair import REFERENCES
from spark.findings import Finding

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def find(tables: Tables) -> DataFrame | None:
    """One row per content (hash and id) that an empty UPDATE took or will take."""
    facts = content_facts(tables["entries"]).unionByName(version_facts(tables["state"], tables["refusals"]))
    everything = facts.unionByName(foreign_facts(tables["refusals"]))
    contents = everything.groupBy(*WHERE, "content").agg(F.collect_list("fact").alias("facts"))
    ids = F.array_distinct(F.transform(of_kind("empty"), lambda fact: fact["content_id"]))
    updated = contents.withColumn("content_id", F.explode(ids)).withColumn("needs", needs())
    found = updated.withColumn("status", status()).filter(F.col("status").isNotNull())
    starts = F.broadcast(partition_starts(tables["entries"]))
    joined = found.join(starts, on=list(WHERE), how="left").withColumn("restart_offset", last_restart())
    return cast("DataFrame", joined.drop("restarts"))


def of_kind(*kinds: str) -> Column:
    """The facts of these kinds about the content's bytes, whatever its id."""
    return F.filter("facts", lambda fact: fact["kind"].isin(*kinds))


def own(*kinds: str) -> Column:
    """The facts of these kinds about this id of the content."""
    return F.filter(of_kind(*kinds), lambda fact: fact["content_id"] == F.col("content_id"))


def first_offset(facts: Column) -> Column:
    """The lowest offset among facts; null when there are none."""
    return F.array_min(F.transform(facts, lambda fact: fact["offset"]))


def needs() -> Column:
    """The versions that need this id: those that hold it, and those dropped for want of what it held.

    A dropped record names no id. It is this one's when no record, or only one behind an empty UPDATE, has the content.
    """
    full = first_offset(own("full"))
    was_here = full.isNull() | (first_offset(own("empty")) < full)
    return F.concat(own("held"), F.when(was_here, of_kind("lacking")).otherwise(F.array()))


def surviving() -> Column:
    """Records with the content that compaction keeps: no later record has their key."""
    records = of_kind("full", "empty", "other")
    return F.filter(of_kind("full"), lambda full: ~F.exists(records, lambda other: supersedes(other, full)))


def supersedes(later: Column, record: Column) -> Column:
    """Whether a record has another's key and stands after it."""
    return (later["record_key"] == record["record_key"]) & (later["offset"] > record["offset"])


def status() -> Column:
    """What the empty UPDATE did or will do; null: nothing."""
    kept, full = first_offset(surviving()), first_offset(of_kind("full"))
    lacks = F.exists("needs", lambda version: version["kind"] == "lacking")
    doomed = F.exists("needs", lambda version: kept.isNull() | (version["offset"] < kept))
    unneeded = F.size(of_kind("held", "lacking")) == 0
    return (
        F.when(full.isNull() & unneeded & (F.size(of_kind("foreign")) > 0), None)
        .when(full.isNull() | (lacks & (F.size(own("full")) == 0)), "lost")
        .when(lacks, "late")
        .when(doomed | (unneeded & kept.isNull()), "at_risk")
    )


def partition_starts(entries: DataFrame) -> DataFrame:
    """Per partition: where it begins, and the offsets at which a registry started."""
    restart = F.when(F.col("entry_action") == "restart", F.col("offset"))
    return entries.groupBy(*WHERE).agg(
        F.min("offset").alias("partition_first_offset"), F.collect_list(restart).alias("restarts")
    )


def last_restart() -> Column:
    """The last start before the latest empty UPDATE."""
    update = F.array_max(F.transform(of_kind("empty"), lambda fact: fact["offset"]))
    return F.array_max(F.filter("restarts", lambda offset: offset < update))


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
)
