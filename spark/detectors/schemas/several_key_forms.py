"""Several key forms: one schema, config or mode under keys of different bytes. Compaction keeps the last of each form.

Low where the last records of all forms say the same. Innocent: Redpanda's keys, each with a seq of its own.
Page: docs/detectors/several-key-forms.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.detectors.schemas._forms import FORMS, last_action
from spark.detectors.schemas._writes import DIALECT, prepared
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, plural, version_name

NAMES = {
    "old": "subject before keytype (Confluent up to 5.2, or Karapace after it read such a key)",
    "canonical": "keytype first (Confluent from 5.3, Karapace)",
    "canonical-null-subject": "keytype first, subject null (Confluent 5.3 to 6.1, Karapace)",
    "redpanda": "with seq and node (Redpanda)",
    "pretty": "with white space (a restored backup)",
    "other": "members in another order",
}


def describe(row: Row) -> Finding:
    forms, name = list(row["forms"]), named(row)
    newest = forms[-1]
    agree = len({form["says"] for form in forms}) == 1
    each = "; ".join(
        f"{NAMES.get(form['key_form'], form['key_form'])}: last at offset {marked.offset(form['last_offset'])}, {last_action(form)}"
        for form in forms
    )
    matters = (
        "The last records of all forms are equal, so the state is correct. A delete in one form does not remove the others."
        if agree
        else f"The registry applies offset {marked.offset(newest['last_offset'])} last. If compaction removes that record after a delete, the record of an older form is in force again."
    )
    return Finding(
        detector=detector.id,
        severity="low" if agree else "medium",
        effects=on_entities("at_risk", row["entry_type"].lower(), [row["entity_id"]], "next_compaction"),
        title=(
            f"Compaction keeps {plural(len(forms), 'record')} of {name}: same key, different bytes "
            f"({at_offsets([form['last_offset'] for form in forms])})"
        ),
        explanation=(
            "A registry parses the key as JSON. The log cleaner compares its bytes. So compaction keeps the last record of each form, and a tombstone "
            f"removes records of the same form only. The forms: {each}. {matters}"
        ),
        **located(row, min(form["first_offset"] for form in forms), newest["last_offset"]),
        entity=f"key:{row['entry_type']}/{row['entity_id']}",
        evidence=[form["last_offset"] for form in forms],
        remedy=remedy(row, name),
        references=detector.references,
        entities={f"{row['entry_type'].lower()}:{row['entity_id']}"},
    )


def remedy(row: Row, name: str) -> str:
    """A registry reads all forms as one key, so the value that holds must come last."""
    *older, newest = row["forms"]
    return detector.remedy(
        schema_or_setting=name,
        offsets_of_the_older_keys=at_offsets([form["last_offset"] for form in older]),
        a_delete_is_newest=newest["action"] in ("delete", "empty"),
        redpanda_wrote_it=newest["is_sequenced"],
        newest=newest["last_offset"],
        topic=row["topic"],
    )


def named(row: Row) -> str:
    """What the key is about."""
    if row["entry_type"] == "SCHEMA":
        return version_name(row["entity_id"])
    return f"the {row['entry_type'].lower()} of {marked.entity(row['entity_id'], row['entry_type'].lower()) if row['entity_id'] else 'all subjects'}"


detector = Detector(
    id="several-key-forms",
    title="Same key, different bytes",
    find=query(FORMS, prepare=prepared),  # one row per logical key
    describe=describe,
    headline=clause("compaction keeps several records of {count}: same key, different bytes", "key"),
    rows_of="entries",
    needs=frozenset({"key", "exact-bytes"}),
    dialects=(DIALECT,),
    follows=("resurrected-schema",),
)
