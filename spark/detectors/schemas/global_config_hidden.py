"""Global config hidden: a subject has settings, and what these leave out is not taken from the global settings.

Confluent's registry reads one CONFIG record: the subject's, if there is one. Innocent: subjects without live versions; an alias, to whose subject
all requests go; a global level of BACKWARD, which is the default. Page: docs/detectors/global-config-hidden.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.schemas._configs import prepared
from spark.detectors.schemas._writes import DIALECT
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import plural, some

DEFAULT = "BACKWARD"  # of a registry whose schema.compatibility.level is not set
# One row for the level, one for normalization.
HIDDEN = f"""
    WITH used AS (
        SELECT DISTINCT {REPLICA_COLUMNS}, regexp_replace(entity_id, '/[^/]*$', '') AS subject FROM live_state
        WHERE entity_type = 'schema' AND NOT coalesce(json_extract_string(attributes, '$.deleted') = 'true', false)
    ),
    own AS (
        SELECT {REPLICA_COLUMNS}, registry_configs.* EXCLUDE ({REPLICA_COLUMNS}) FROM registry_configs SEMI JOIN used USING ({REPLICA_COLUMNS}, subject)
        WHERE alias IS NULL AND profile = 'confluent' AND subject NOT LIKE ':%'
    ),
    hidden AS (
        SELECT {REPLICA_COLUMNS}, own.subject, own."offset", of_all."offset" AS global_offset, of_all.level AS global_level,
            unnest([CASE WHEN own.level IS NULL AND of_all.level <> '{DEFAULT}' THEN 'level' END,
                CASE WHEN own.normalize IS NULL AND of_all.normalize = 'true' THEN 'normalize' END]) AS setting
        FROM own JOIN registry_configs AS of_all USING ({REPLICA_COLUMNS}) WHERE of_all.is_global
    )
    SELECT {REPLICA_COLUMNS}, setting, global_offset, global_level, list(subject ORDER BY subject) AS subjects, list("offset" ORDER BY "offset") AS offsets
    FROM hidden WHERE setting IS NOT NULL GROUP BY {REPLICA_COLUMNS}, setting, global_offset, global_level ORDER BY {REPLICA_COLUMNS}, setting
"""


def describe(row: Row) -> Finding:
    is_level = row["setting"] == "level"
    subjects, offsets = list(row["subjects"]), list(row["offsets"])
    names = some([marked.entity(subject, "subject") for subject in subjects])
    level = marked.quote(row["global_level"])
    title = (
        f"The global compatibility level {level} does not apply to {plural(len(subjects), 'subject')}: {names}"
        if is_level
        else f"Schemas of {plural(len(subjects), 'subject')} are not normalized, though the global settings say so: {names}"
    )
    missing = "no compatibility level" if is_level else "no `normalize`"
    applies = (
        f"For these subjects the registry's own setting `schema.compatibility.level` applies, which is {marked.quote(DEFAULT)} if it is not set, instead of {level}. "
        "Registrations are rejected that the global level allows, or accepted that it does not allow."
        if is_level
        else "Schemas that differ only in form then get several versions, and lookups fail with error 40403."
    )
    return Finding(
        detector=detector.id,
        severity="medium" if is_level else "low",
        confidence="likely" if is_level else "proven",
        title=title,
        explanation=(
            f"The settings of the subjects (CONFIG records, the first at offset {marked.offset(offsets[0])}) contain {missing}. A Confluent registry reads the "
            f"global settings (offset {marked.offset(row['global_offset'])}) only for subjects without settings. {applies}"
        ),
        **located(row, *sorted((row["global_offset"], *offsets))),
        entity=f"config:{row['setting']}",
        evidence=[row["global_offset"], *offsets[:20]],
        effects=[Effect("misread", "subject", subject) for subject in subjects[:20]] if is_level else [],
        remedy=(
            detector.remedy("Compatibility level", subject=subjects[0], level=row["global_level"])
            if is_level
            else detector.remedy("Normalization", subject=subjects[0])
        ),
        references=detector.references,
    )


detector = Detector(
    id="global-config-hidden",
    title="Settings of a subject hide the global ones",
    find=query(
        HIDDEN,
        prepare=prepared,
        if_any="SELECT 1 FROM live_state WHERE entity_type = 'config' AND entity_id = '' LIMIT 1",
    ),
    describe=describe,
    headline=clause("global settings of {count} do not apply to all subjects", "registry", "registries"),
    rows_of="state",
    needs=frozenset({"key", "exact-bytes"}),
    dialects=(DIALECT,),
    one_cause="topic",
)
