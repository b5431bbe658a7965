"""One logical key under several byte forms: which forms, when it is low, and what is one form by design."""

from __future__ import annotations

import pytest

from spark.detectors.schemas.several_key_forms import detector
from tests.spark.schema_journals import (
    NOOP,
    compact,
    expected,
    found,
    found_in,
    old_key,
    real_cases,
    real_journal,
    schema,
    sequenced,
    setting,
)

VALUE = schema("a", 1)[1]
OTHER = schema("a", 1, 2, '"int"')[1]


def test_two_orders_of_members_are_two_keys_to_the_cleaner() -> None:
    (finding,) = found(detector, (old_key("a", 1), VALUE), schema("a", 1, 2, '"int"'))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("medium", 0, 1)
    assert "the key bytes of offset 0" in finding.remedy


def test_forms_that_say_the_same_are_low() -> None:
    (finding,) = found(detector, (old_key("a", 1), VALUE), schema("a", 1))
    assert finding.severity == "low"


def test_forms_that_are_all_deleted_are_low() -> None:
    (finding,) = found(detector, schema("a", 1), (schema("a", 1)[0], None), (old_key("a", 1), None))
    assert finding.severity == "low"


@pytest.mark.parametrize(
    "key",
    [
        old_key("a", 1, magic=0),
        b'{"keytype": "SCHEMA", "subject": "a", "version": 1, "magic": 1}',
        sequenced("a", 1, 1)[0],
    ],
    ids=["another magic", "white space", "with seq and node"],
)
def test_other_forms_count_as_well(key: bytes) -> None:
    assert len(found(detector, schema("a", 1), (key, OTHER))) == 1


def test_the_global_config_with_and_without_subject() -> None:
    null = compact({"keytype": "CONFIG", "subject": None, "magic": 0}), b'{"compatibilityLevel":"FULL"}'
    (finding,) = found(detector, null, setting("CONFIG", None, compatibilityLevel="NONE"))
    assert "the config of all subjects" in finding.title


def test_redpandas_keys_are_one_form_by_design() -> None:
    assert found(detector, sequenced("a", 1, 0), sequenced("a", 1, 1, node=2)) == []


def test_one_form_is_as_it_should_be() -> None:
    other_noop = compact({"magic": 0, "keytype": "NOOP"}), None
    assert found(detector, NOOP, other_noop, schema("a", 1), schema("a", 1, deleted=True)) == []


@pytest.mark.wide
@pytest.mark.parametrize("case", real_cases())
def test_real_journals_have_the_forms_that_are_known(case: str) -> None:
    findings = found_in(detector, real_journal(case))
    assert [(f.first_offset, f.last_offset) for f in findings] == expected(case, detector.id)
