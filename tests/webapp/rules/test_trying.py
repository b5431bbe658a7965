"""The test button: how many rows a rule would flag and the first of them, nothing saved."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from spark.rules.language import parse
from tests.builders import lifelines_table, other_table, records_table
from tests.webapp.reports.result_folder import write_results
from tests.webapp.rules.conftest import rule_text
from webapp.audit.models import Event
from webapp.journals.models import Inspection
from webapp.rejected import Rejected
from webapp.rules import trying
from webapp.rules.models import Rule


@pytest.fixture
def tried(sign_in: Any, owner: Any, inspection: Inspection) -> Any:
    """Press the button; the part of the page."""

    def press(text: str, on: Any = inspection.pk) -> str:
        return (
            sign_in(owner)
            .post("/review/rules/try/default/", {"text": text, "inspection": on})
            .content.decode()
        )

    return press


def test_it_counts_and_shows_the_first_twenty(tried: Any, inspection: Inspection) -> None:
    part = tried(rule_text())
    assert "It would flag 29 records in 1 partition" in part
    assert "Showing 20 of 29" in part
    assert part.count("<tr>") == 21
    assert f"/inspections/{inspection.pk}/report/records/0/?topic=journal" in part
    assert "The value is &lt;b&gt;0&lt;/b&gt;." in part
    assert not Rule.objects.exists()
    event = Event.objects.get(action="rule.tried")
    assert (event.actor_name, event.detail) == ("owner", {"rule": "no-a", "rows": 20})


def test_nothing_found_and_one_found_read_right(tried: Any) -> None:
    assert "It would flag 1 record in 1 partition" in tried(rule_text(key="b"))
    assert "It would flag nothing" in tried(rule_text(key="zzz"))


def test_what_is_wrong_is_said_in_place_of_rows(tried: Any) -> None:
    assert "Line 1: the rule lacks title" in tried("name: x\n")
    assert "Choose a finished inspection" in tried(rule_text(), "")
    assert "20,000 characters at most" in tried("#" * 30_000)


def test_an_inspection_whose_results_are_gone_says_so(tried: Any, inspection: Inspection) -> None:
    (inspection.results / "tables.json").unlink()
    assert "The results of this inspection no longer exist" in tried(rule_text())


@pytest.mark.heavy
def test_a_rule_that_takes_too_long_is_broken_off(
    inspection: Inspection, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = records_table({"value": b"a" * 200})
    many = pa.concat_tables([one] * 100).combine_chunks()
    write_results(
        inspection.results,
        records=pa.concat_tables([many] * 1000),
        lifelines=lifelines_table(),
        keys=other_table("keys"),
    )
    monkeypatch.setattr(trying, "SECONDS", 0.2)
    parts = ", ".join(f"{{column: value, matches: '(a|b|ab|aa)*c{n}d'}}" for n in range(40))
    slow = rule_text().replace('{column: key, is: "a"}', f"{{any: [{parts}]}}")
    with pytest.raises(Rejected, match=r"took longer than 0\.2 seconds"):
        trying.try_rule(parse(slow), inspection)
