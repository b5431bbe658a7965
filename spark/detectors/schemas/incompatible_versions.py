"""Incompatible versions: live versions of a subject that its compatibility level does not allow, and with which it compares each new version.

Innocent: NONE, a level that compares with the newest version only, or none in the journal; deleted versions; compatibility groups; another
direction than the level's; Protobuf and JSON.
Page: docs/detectors/incompatible-versions.md
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from spark.detectors import Detector, clause, located
from spark.detectors.schemas._avro_reads import Misfit, misfit
from spark.detectors.schemas._configs import prepared
from spark.detectors.schemas._live_versions import LiveVersion, subjects
from spark.detectors.schemas._writes import DIALECT
from spark.tables.replica import REPLICA_COLUMNS, PartitionReplica, Row, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Effect, Finding

GLOBAL = ""
TRANSITIVE = "_TRANSITIVE"
# Groups divide the versions of a subject: each is compared with those of its group alone.
LEVELS = f"""
    SELECT {REPLICA_COLUMNS}, subject, "offset", level, compatibility_group IS NOT NULL AS has_groups FROM registry_configs
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per subject."""
    levels: dict[PartitionReplica, dict[str, Row]] = {}
    for config in prepared(tables).rows(LEVELS):
        levels.setdefault(replica_of(config), {})[config["subject"]] = config
    if not levels:
        return
    for row, versions in subjects(tables):
        level = level_of(row["subject"], levels.get(replica_of(row), {}))
        if level is None or level["has_groups"] or not (level["level"] or "").endswith(TRANSITIVE):
            continue
        conflict = next(conflicts(versions, level["level"]), None)
        if conflict:
            newer, older, is_newer_reader, why = conflict
            yield {
                **row,
                "newer": newer,
                "older": older,
                "is_newer_reader": is_newer_reader,
                "why": why,
                "level": level,
            }


def level_of(subject: str, levels: Mapping[str, Row]) -> Row | None:
    """The subject's own, else its context's, else the global one, which is that of the default context."""
    if subject in levels:
        return levels[subject]
    if subject.startswith(":."):
        return levels.get(f":{subject.split(':')[1]}:")
    return levels.get(GLOBAL)


def conflicts(
    versions: list[LiveVersion], level: str
) -> Iterator[tuple[LiveVersion, LiveVersion, bool, Misfit]]:
    """Of the newest version with the earlier ones, the nearest first."""
    newest = versions[-1]
    for older in reversed(versions[:-1]):
        if {newest.schema_type, older.schema_type} != {"AVRO"}:
            continue
        direction = level.removesuffix(TRANSITIVE)
        if direction in ("BACKWARD", "FULL") and (why := misfit(newest.schema, older.schema)):
            yield newest, older, True, why
        if direction in ("FORWARD", "FULL") and (why := misfit(older.schema, newest.schema)):
            yield newest, older, False, why


def describe(row: Row) -> Finding:
    newer, older, level = row["newer"], row["older"], row["level"]
    subject, name = marked.entity(row["subject"], "subject"), marked.quote(level["level"])
    new, old = (f"version {marked.number(version.version)}" for version in (newer, older))
    reader, writer = (new, old) if row["is_newer_reader"] else (old, new)
    level_offset = marked.offset(level["offset"])
    history = (
        f"The level was set later, at offset {level_offset}."
        if level["offset"] > newer.offset
        else f"The level is from offset {level_offset}, before {new}: so {new} was imported, registered with force, or by a registry that checks otherwise, or the "
        "level was another for some time."
    )
    return Finding(
        detector=detector.id,
        severity="medium",
        title=f"New versions of {subject} are rejected if they are like {new}: {reader} cannot read records of {writer}, as {name} demands",
        explanation=(
            f"{row['why'].sentence(reader, writer)}. The level {name} does not allow this. {history} A registration is compared with all live "
            f"versions, so each new version that is like {new} in this is rejected with error 409. A consumer with {reader} fails at "
            f"records of {writer} that are still in the topic."
        ),
        **located(row, *sorted((older.offset, newer.offset))),
        entity=f"subject:{row['subject']}",
        evidence=[older.offset, newer.offset, level["offset"]],
        effects=[Effect("rejected", "subject", row["subject"])],
        remedy=detector.remedy(subject=row["subject"], older=older.version),
        references=detector.references,
        entities={f"schema:{version.subject}/{version.version}" for version in (older, newer)},
    )


detector = Detector(
    id="incompatible-versions",
    title="Versions that the compatibility level does not allow",
    find=find,
    describe=describe,
    headline=clause(
        "{count} versions that their compatibility level does not allow", "subject has", "subjects have"
    ),
    rows_of="state",
    needs=frozenset({"key", "exact-bytes"}),
    dialects=(DIALECT,),
    one_cause="topic",
)
