"""Resurrected schema: a version was deleted under one byte form of its key and is alive under an older one.

Innocent: forms that are all deleted; a delete of no bytes, which the cleaner never removes (empty-value-not-tombstone).
Page: docs/detectors/resurrected-schema.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors.schemas._forms import FORMS
from spark.detectors.schemas._writes import DIALECT, prepared, version_of
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import at_offsets, version_name

DELETED_SUBJECTS = f"""
    SELECT {REPLICA_COLUMNS}, subject, max("offset") AS deleted_offset FROM registry_writes
    WHERE entry_type = 'DELETE_SUBJECT' AND entry_action = 'delete-subject' GROUP BY ALL
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per version."""
    rows = [row for row in prepared(tables).rows(FORMS) if row["entry_type"] == "SCHEMA" and returning(row)]
    subjects = {
        (*replica_of(row), row["subject"]): row["deleted_offset"]
        for row in (tables.rows(DELETED_SUBJECTS) if rows else ())
    }
    for row in rows:
        older = returning(row)
        deleted = subjects.get((*replica_of(row), row["subject"]), -1)
        yield {
            **row,
            "older": [form["last_offset"] for form in older],
            "deleted_offset": row["forms"][-1]["last_offset"],
            "first_offset": older[0]["first_offset"],
            "is_soft": deleted > older[-1]["last_offset"],
        }


def returning(row: Row) -> list[Row]:
    """Older forms whose last record is a schema that the newest one, a tombstone, does not remove."""
    forms = list(row["forms"])
    if forms[-1]["action"] != "delete":
        return []
    return [form for form in forms[:-1] if form["action"] == "register" and not form["is_sequenced"]]


def describe(row: Row) -> Finding:
    older, name, deleted = list(row["older"]), version_name(row["entity_id"]), row["deleted_offset"]
    state = "soft-deleted" if row["is_soft"] else "not deleted"
    return Finding(
        detector=detector.id,
        severity="high",
        title=f"{name} (deleted at offset {marked.offset(deleted)}) reappears after compaction: {at_offsets(older)} {'has' if len(older) == 1 else 'have'} another form of its key",
        explanation=(
            f"Offset {marked.offset(deleted)} deletes the version with a tombstone. {at_offsets(older).capitalize()} {'contains' if len(older) == 1 else 'contain'} the "
            "schema with a key that has the same members but different bytes. Another version of the registry wrote it. For the log cleaner "
            "these are different keys. So the tombstone does not remove the schema, and compaction removes the tombstone after "
            f"delete.retention.ms. From the next start after that, the version and its ID exist again (state: {state})."
        ),
        **located(row, row["first_offset"], deleted),
        entity=version_of(row),
        evidence=[*older, deleted],
        remedy=detector.remedy(
            offsets_of_the_older_keys=at_offsets(older), subject=row["subject"], topic=row["topic"]
        ),
        references=detector.references,
        effects=[Effect("revived", "version", row["entity_id"], "after_tombstones")],
        entities={version_of(row)},
    )


detector = Detector(
    id="resurrected-schema",
    title="Deleted schema reappears",
    find=find,
    describe=describe,
    headline=clause(
        "{count} after compaction", "deleted schema version reappears", "deleted schema versions reappear"
    ),
    rows_of="entries",
    needs=frozenset({"key", "exact-bytes", "null-or-empty"}),
    dialects=(DIALECT,),
)
