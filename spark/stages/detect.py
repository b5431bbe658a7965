"""Detect: run every detector that can run on this input, all in one Spark job, and put what they find into words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import orjson
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark.detectors import Detector, Tables, detectors
from spark.dialects import dialects
from spark.findings import Finding
from spark.sources import LACKS, sources
from spark.tables import TABLES, Manifest


@dataclass(frozen=True)
class Detected:
    """What came of it: findings, ids of detectors that found nothing, and those that could not run, with why."""

    findings: list[Finding]
    clean: list[str]
    not_run: list[dict[str, str]]


def detect(session: SparkSession, manifest: Manifest, layouts: set[str], dialect_ids: set[str]) -> Detected:
    """Run the detectors over an inspection's tables."""
    reasons = {name: why_not(detector, layouts, dialect_ids) for name, detector in detectors().items()}
    able = [detector for name, detector in detectors().items() if reasons[name] is None]
    due = [detector for detector in able if not detector.rows_of or manifest.rows.get(detector.rows_of)]
    findings = run(due, open_tables(session, manifest))
    found = {finding.detector for finding in findings}
    return Detected(
        findings,
        [detector.id for detector in able if detector.id not in found],
        [{"detector": name, "why": why} for name, why in reasons.items() if why is not None],
    )


def why_not(detector: Detector, layouts: set[str], dialect_ids: set[str]) -> str | None:
    """Why a detector cannot run on these layouts and dialects, or None."""
    lacking = [
        need for need in sorted(detector.needs) if all(need in sources()[name].lacks for name in layouts)
    ]
    if lacking:
        titles = " and ".join(sorted(sources()[name].title for name in layouts))
        return f"{titles} does not carry " + "; ".join(LACKS[need] for need in lacking)
    if detector.dialects and not dialect_ids.intersection(detector.dialects):
        titles = " or ".join(dialects()[name].title for name in detector.dialects)
        return f"no {titles} journal in the input"
    return None


def open_tables(session: SparkSession, manifest: Manifest) -> Tables:
    """All tables as lazy DataFrames."""

    def opener(name: str) -> DataFrame:
        paths, ddl = manifest.paths(name), TABLES[name].ddl
        return session.read.schema(ddl).parquet(*paths) if paths else session.createDataFrame([], ddl)

    return Tables(opener=opener)


def run(able: list[Detector], tables: Tables) -> list[Finding]:
    """One Spark job: each detector's rows as JSON, marked with its id, then words."""
    frames = [as_json(detector, tables) for detector in able]
    rows = [frame for frame in frames if frame is not None]
    if not rows:
        return []
    collected = reduce(DataFrame.unionAll, rows).collect()
    return [detectors()[row["detector"]].describe(orjson.loads(row["row"])) for row in collected]


def as_json(detector: Detector, tables: Tables) -> DataFrame | None:
    """A detector's rows with one schema for all detectors."""
    found = detector.find(tables)
    if found is None:
        return None
    return found.select(F.lit(detector.id).alias("detector"), F.to_json(F.struct("*"), {"ignoreNullFields": "false"}).alias("row"))
