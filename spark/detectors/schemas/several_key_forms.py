"""Several key forms: one schema, config or mode under keys of different bytes. Compaction keeps the last of each form.

Low where the last records of all forms say the same. Innocent: Redpanda's keys, each with a seq of its own.
Page: docs/detectors/several-key-forms.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.schemas import _words as words
from spark.detectors.schemas._forms import FORMS, said
from spark.detectors.schemas._writes import DIALECT, prepared
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import listed, plural, steps, version_name

NAMES = {
    "old": "subject before keytype (Confluent up to 5.2, or Karapace after it read such a key)",
    "canonical": "keytype first (Confluent from 5.3, Karapace)",
    "canonical-null-subject": "keytype first, subject null (Confluent 5.3 to 6.1, Karapace)",
    "redpanda": "with seq and node (Redpanda)",
    "pretty": "with white space (a backup put back)",
    "other": "members in another order",
}


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per logical key."""
    return prepared(tables).rows(FORMS)


def describe(row: Row) -> Finding:
    """The row in words."""
    forms, name = list(row["forms"]), what(row)
    newest = forms[-1]
    agree = len({form["says"] for form in forms}) == 1
    each = "; ".join(
        f"{NAMES.get(form['key_form'], form['key_form'])}: last at offset {form['last_offset']}, {said(form)}"
        for form in forms
    )
    matters = (
        "All of them say the same at the end, so nothing changes; but a delete in one form leaves the others."
        if agree
        else f"The registry goes by offset {newest['last_offset']}; once that record is deleted and compacted away, an older form speaks again."
    )
    return Finding(
        detector=detector.id,
        severity="low" if agree else "medium",
        title=f"The key of {name} stands in {plural(len(forms), 'byte form')}: offsets {listed(str(form['last_offset']) for form in forms)} are each the last of theirs",
        explanation=(
            "A registry reads the key as JSON, the log cleaner compares its bytes. So the cleaner keeps the last record of each form, and a "
            f"tombstone removes records of its own form only. The forms: {each}. {matters}"
        ),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=min(form["first_offset"] for form in forms),
        last_offset=newest["last_offset"],
        entity=f"key:{row['entry_type']}/{row['entity_id']}",
        evidence=[form["last_offset"] for form in forms],
        remedy=steps(
            [
                "See that one registry, of one version, writes to this topic.",
                f"Write {name} once more with it, so that its own form holds what is meant.",
                f"Produce a null value for each older key: {listed('the key of offset ' + str(form['last_offset']) for form in forms[:-1])}.",
                words.look_again(row["topic"]),
            ]
        ),
        references=["https://github.com/confluentinc/schema-registry/issues/2091"],
        entities={f"{row['entry_type'].lower()}:{row['entity_id']}"},
    )


def what(row: Row) -> str:
    """What the key is about."""
    if row["entry_type"] == "SCHEMA":
        return version_name(row["entity_id"])
    return f"the {row['entry_type'].lower()} of {row['entity_id'] or 'all subjects'}"


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    stand = "stands" if len(findings) == 1 else "stand"
    return f"{plural(len(findings), 'key')} {stand} in several byte forms"


detector = Detector(
    id="several-key-forms",
    title="One key in several byte forms",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="entries",
    needs=frozenset({"key", "exact-bytes"}),
    dialects=(DIALECT,),
    follows=("resurrected-schema",),
)
