"""The filter line on Records, Keys and the timeline, and the page of its language."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest

from tests.webapp.reports.ledger import ledger


def line_of(text: str) -> str:
    found = re.search(r'name="filter" type="text" value="([^"]*)"', text)
    assert found
    return html.unescape(found[1])


def test_the_line_has_what_the_address_says_in_the_language(inspected: Any, get: Any) -> None:
    inspection = inspected()
    former = get(inspection, "report-records", kind="dropped", first="3", key="content").content.decode()
    assert line_of(former) == "offset:3.. kind:dropped key:*content*"
    text = get(inspection, "report-records", filter="value.text:one*").content.decode()
    assert line_of(text) == "value.text:one*"
    assert "<strong>2</strong> of 11 records match" in text


def test_a_mistake_is_marked_and_corrected_with_one_click(inspected: Any, get: Any) -> None:
    text = get(inspected(), "report-records", filter="kind:updat offset:3..").content.decode()
    assert "kind:<mark>updat</mark> offset:3.." in text
    assert 'value="kind:update offset:3.."' in text
    assert "The filter has a mistake" in text
    assert "No records match" not in text
    assert line_of(text) == "kind:updat offset:3.."


def test_a_filter_without_hits_names_the_part_that_excludes_everything(inspected: Any, get: Any) -> None:
    text = get(inspected(), "report-records", filter="type:Content offset:0..2").content.decode()
    assert "Without <code>offset:0..2</code>" in text
    assert "filter=type%3AContent" in text


def test_pages_keep_the_filter_and_its_zone(inspected: Any, get: Any) -> None:
    text = get(inspected(), "report-records", filter="time:00:00", zone="Europe/Berlin").content.decode()
    assert 'name="zone" value="Europe/Berlin"' in text
    assert line_of(text) == "time:00:00"


@pytest.mark.parametrize(
    ("query", "line", "keys"),
    [
        ({"filter": "key:b"}, "key:b", 1),
        ({"filter": "outcome:aborted"}, "outcome:aborted", 1),
        ({"filter": "versions:2"}, "versions:2", 2),
        ({"q": "b"}, "key:*b*", 1),
        ({"only": "live", "type": "Record"}, "type:Record live:>0", 4),
        ({}, "", 4),
    ],
)
def test_keys_of_records_that_match_are_listed(
    inspected: Any, get: Any, query: dict[str, str], line: str, keys: int
) -> None:
    text = get(inspected(ledger), "report-keys", **query).content.decode()
    assert line_of(text) == line
    assert len(re.findall(r"/report/keys/[0-9a-f]{32}/", text)) == keys


def test_a_timeline_draws_what_matches(inspected: Any, get: Any) -> None:
    inspection = inspected(ledger)

    def drawn(**query: str) -> str:
        answer = json.loads(get(inspection, "report-timeline-figure", **query).content)
        return str(answer["figure"]["data"])

    assert drawn() != drawn(filter="key:b") != drawn(filter="kind:aborted")
    assert drawn(filter="offset:0..") == drawn(filter="kind:nowhere") == drawn()  # a mistake hides nothing
    page = get(inspection, "report-timeline", filter="key:b", lanes="key").content.decode()
    assert line_of(page) == "key:b"
    assert 'name="lanes" value="key"' in page


def test_the_language_has_a_page(inspected: Any, get: Any) -> None:
    text = get(inspected(), "report-filter-language").content.decode()
    assert "Filter language" in text
    assert "<code>value.amount &gt; 400</code>" in text


def test_the_example_matches_a_record_of_this_report(inspected: Any, get: Any) -> None:
    inspection = inspected(ledger)
    for name in ("report-records", "report-keys", "report-timeline"):
        found = re.search(r'placeholder="Filter, such as ([^"]+)"', get(inspection, name).content.decode())
        assert found, name
        example = html.unescape(found[1])
        text = get(inspection, "report-records", filter=example).content.decode()
        assert re.search(r"<strong>[1-9]\d*</strong> of 8 records? match", text), example
