"""Forms that services write: each is of a journal type, and of entries that its page names."""

from __future__ import annotations

import pytest

from spark.codecs.service_forms import ANY, SERVICE_FORMS, SIDES, service_forms
from spark.dialects import dialects
from spark.units.pages import page


@pytest.mark.parametrize("dialect", SERVICE_FORMS)
def test_each_form_is_of_a_journal_type_and_of_entries_that_it_reads(dialect: str) -> None:
    assert dialects()[dialect].interpret
    assert SERVICE_FORMS[dialect].keys() <= set(SIDES)
    for side in SERVICE_FORMS[dialect]:
        types = list(service_forms(dialect, side))
        assert types[-1] == ANY  # the most general comes last
        assert set(types[:-1]) <= set(page("dialects", dialect).facts["words"].split())


def test_a_journal_type_whose_records_are_json_has_none() -> None:
    assert not service_forms("schema-registry", "value")
    assert not service_forms("", "key")
