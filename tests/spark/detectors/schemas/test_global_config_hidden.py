"""Settings of a subject that hide the global ones."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors.schemas.global_config_hidden import detector
from spark.terms.findings import Finding
from tests.spark.schema_journals import Record, delete_subject, found, schema, sequenced, setting


def config(subject: str | None = None, **members: Any) -> Record:
    return setting("CONFIG", subject, **members)


def of(*records: Record) -> list[Finding]:
    return found(detector, *records)


FULL = config(compatibilityLevel="FULL")
SUBJECT = schema("a", 1)


@pytest.mark.parametrize(
    "settings", [{"normalize": True}, {"overrideMetadata": {"properties": {"owner": "x"}}}]
)
def test_settings_without_a_level_hide_it(settings: dict[str, Any]) -> None:
    (finding,) = of(FULL, SUBJECT, config("a", **settings), schema("b", 1, 2, '"int"'))
    assert (finding.severity, finding.confidence) == ("medium", "likely")
    assert (finding.first_offset, finding.last_offset) == (0, 2)
    assert "1 subject: a" in finding.title


def test_settings_without_normalization_hide_it() -> None:
    (finding,) = of(
        config(compatibilityLevel="FULL", normalize=True), SUBJECT, config("a", compatibilityLevel="NONE")
    )
    assert (finding.severity, finding.confidence) == ("low", "proven")
    assert "not normalized" in finding.title


@pytest.mark.parametrize(
    "records",
    [
        [FULL, SUBJECT],
        [FULL, SUBJECT, config("a", compatibilityLevel="NONE")],
        [SUBJECT, config("a", normalize=True)],
        [config(compatibilityLevel="BACKWARD"), SUBJECT, config("a", normalize=True)],
        [FULL, SUBJECT, config("a", alias="b")],
        [FULL, config("a", normalize=True)],
        [FULL, SUBJECT, config("a", normalize=True), delete_subject("a")],
        [FULL, SUBJECT, config("a", normalize=True), config("a", normalize=True, compatibilityLevel="FULL")],
        [FULL, schema(":.c:a", 1), config(":.c:a", normalize=True)],
        [config(compatibilityLevel="FULL", normalize=True), SUBJECT, config("a", compatibilityLevel="FULL", normalize=False)],
    ],
    ids=[
        "no settings", "a level", "no global level", "the default", "an alias", "no schema", "deleted", "corrected", "a context",
        "decided otherwise",
    ],
)  # fmt: skip
def test_innocent(records: list[Record]) -> None:
    assert of(*records) == []


def test_other_registries_are_innocent() -> None:
    assert of(FULL, config("a", normalize=True), *(sequenced("a", n, n + 1) for n in range(1, 4))) == []
