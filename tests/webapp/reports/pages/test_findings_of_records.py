"""A record that proves a finding leads to the finding's card, and the card leads back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.builders import entries_table, records_table
from tests.webapp.reports.result_folder import finding, report_document, write_results
from webapp.reports.pages.overview import CARDS_SHOWN


def flagged(folder: Path) -> Path:
    """Offset 1 proves a cause, offset 2 its consequence, offset 7 is not in the dump; and many findings beside."""
    found = [
        finding("cause", title="Content is lost", severity="critical", evidence=[1, 7]),
        finding("led-to", title="Artifact is unreadable", consequence_of="cause", evidence=[2]),
        *(
            finding(f"other-{n}", title=f"Other {n}", severity="high", evidence=[0])
            for n in range(CARDS_SHOWN)
        ),
        finding("last", title="The last", severity="medium", evidence=[3]),
    ]
    records = records_table(*({"offset": offset, "key": b"k"} for offset in range(4)))
    return write_results(
        folder, report_document(findings=found), records=records, entries=entries_table({"offset": 0})
    )


@pytest.fixture
def page(inspected: Any, get: Any) -> Any:
    """`page("report-key", ...)`: the HTML of a page of that report."""
    inspection = inspected(flagged)
    return lambda name, *args, **query: get(inspection, name, *args, **query).content.decode()


def cards_linked(html: str) -> list[str]:
    return re.findall(r'href="[^"]*/report/\?finding=[^"#]*#finding-([^"]+)"', html)


@pytest.mark.parametrize(
    ("offset", "card"), [(1, "cause"), (2, "led-to"), (3, "last"), (7, "cause")],
    ids=["cause", "consequence", "remark far down", "record that is missing"],
)  # fmt: skip
def test_a_record_leads_to_the_card_and_the_card_to_the_record(page: Any, offset: int, card: str) -> None:
    record = page("report-record", offset)
    assert card in cards_linked(record)
    overview = page("report-overview", finding=card)
    assert f'id="finding-{card}"' in overview
    assert f'data-record="{offset}"' in overview


def test_the_list_of_records_flags_those_that_prove_something(page: Any) -> None:
    html = page("report-records")
    assert "Critical finding: Content is lost" in html
    assert cards_linked(html)[1:] == ["cause", "led-to", "last"]


def test_a_key_and_its_findings(page: Any) -> None:
    keys = page("report-keys")
    address = re.search(r"/keys/([0-9a-f]{32})/", keys)
    assert address
    assert "cause" in cards_linked(page("report-key", address[1]))


def test_a_finding_that_would_have_no_card_gets_one_when_it_is_asked_for(page: Any) -> None:
    assert '<article class="finding" id="finding-cause"' in page("report-overview")
    assert '<tr id="finding-last">' in page("report-overview")
    asked = page("report-overview", finding="last")
    assert '<tr id="finding-last">' not in asked
    assert re.search(r'<(div|article)( class="[^"]*")? id="finding-last"', asked)


def test_a_finding_that_does_not_exist_changes_nothing(page: Any) -> None:
    bare = re.compile(r"term-\d+|csrf[^>]*|nonce[^>]*")
    known, unknown = page("report-overview"), page("report-overview", finding="nobody")
    assert len(bare.sub("", known)) == len(bare.sub("", unknown))


@pytest.mark.parametrize(("names", "within"), [(("a", "b"), "in this replica"), (("",), "in this dump")])
def test_the_only_record_of_a_key_is_that_of_its_replica(
    inspected: Any, get: Any, names: tuple[str, ...], within: str
) -> None:
    rows = [{"offset": number, "key": b"b", "replica": name} for number, name in enumerate(names)]
    inspection = inspected(lambda folder: write_results(folder, records=records_table(*rows)))
    page = get(inspection, "report-record", 0, replica=names[0]).content.decode()
    assert f"only record of this key {within}" in page
