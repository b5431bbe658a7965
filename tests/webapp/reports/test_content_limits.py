"""Hostile contents: what a page or an answer holds is bounded, whatever a record does. Bytes and rows, not seconds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.builders import records_table
from tests.webapp.reports.conftest import get, inspected
from tests.webapp.reports.result_folder import report_document, write_results
from webapp.api.rest.cursors import PAGE_BYTES
from webapp.reports.pages.record import HEADERS_SHOWN
from webapp.reports.replica_choice import REPLICAS_SHOWN

__all__ = ["get", "inspected"]

MEGABYTE = 1_000_000
PAGES = (
    "", "strip.json", "timeline/", "timeline/figure.json", "keys/", "records/", "records/1/", "records/2/", "records/3/",
    "state/", "transactions/", "log/", "profile/", "formats/", "files/", "repair/", "compare/",
)  # fmt: skip


@pytest.fixture
def large(inspected: Any) -> Any:
    """A value of 5 MB, a record with 100,000 headers, a header of 5 MB, twenty keys of 1 MB."""
    nested = json.dumps({"rows": [{"n": n, "text": "<b>" * 10} for n in range(100_000)]}).encode()
    many = [{"key": b"header-%d" % n, "value": b"<i>%d" % n} for n in range(100_000)]
    rows = [
        {"offset": 0, "key": b"json", "value": nested},
        {"offset": 1, "key": b"big", "value": b"w" * 5 * MEGABYTE},
        {"offset": 2, "key": b"headers", "headers": many},
        {"offset": 3, "key": b"header", "headers": [{"key": b"h", "value": b"h" * 5 * MEGABYTE}]},
        *({"offset": n, "key": b"%d" % n + b"k" * MEGABYTE} for n in range(4, 24)),
    ]
    return inspected(
        lambda folder: write_results(folder, records=records_table(*rows, topic="t", partition=0))
    )


def test_no_page_grows_with_a_value_a_key_or_headers(large: Any, owner: Any, sign_in: Any) -> None:
    client = sign_in(owner)
    sizes = {}
    for path in PAGES:
        answer = client.get(f"/inspections/{large.pk}/report/{path}")
        assert answer.status_code == 200, path
        sizes[path] = len(answer.content)
    assert max(sizes.values()) < MEGABYTE, sizes


def test_a_record_shows_its_first_headers_and_says_how_many_more_there_are(
    large: Any, owner: Any, sign_in: Any
) -> None:
    page = sign_in(owner).get(f"/inspections/{large.pk}/report/records/2/").content.decode()
    assert f">header-{HEADERS_SHOWN - 1}<" in page
    assert f">header-{HEADERS_SHOWN}<" not in page
    assert f"{100_000 - HEADERS_SHOWN:,} more headers are not shown" in page


@pytest.mark.heavy
@pytest.mark.parametrize(("table", "count"), [("records", 24), ("keys", 24)])
def test_a_page_of_the_api_ends_before_it_holds_too_much_and_none_is_left_out(
    table: str, count: int, large: Any, owner: Any, sign_in: Any
) -> None:
    client, address, seen = sign_in(owner), f"/api/v1/inspections/{large.pk}/{table}/?limit=1000", []
    pages = 0
    while address:
        answer = client.get(address)
        # base64 and text of each byte, and what a record that is larger by itself holds
        assert len(answer.content) < 3 * PAGE_BYTES + 8 * MEGABYTE
        told = answer.json()
        seen += [row["offset"] if table == "records" else row["first_offset"] for row in told["results"]]
        address, pages = told["next"], pages + 1
    assert sorted(seen) == list(range(count))
    assert len(seen) == count
    assert 3 <= pages <= count


@pytest.fixture
def wide(inspected: Any) -> Any:
    """Ten thousand partitions."""
    names = [f"t-{n}" for n in range(10_000)]
    coverage = report_document()["coverage"] | {
        "records_per_partition": dict.fromkeys(names, 1),
        "offsets_per_partition": {name: [0, 0] for name in names},
    }
    rows = [{"topic": "t", "partition": n, "offset": 0, "key": b"k"} for n in range(10_000)]
    report = report_document(coverage=coverage)
    return inspected(lambda folder: write_results(folder, report, records=records_table(*rows)))


@pytest.mark.long
def test_no_page_lists_ten_thousand_partitions(wide: Any, owner: Any, sign_in: Any) -> None:
    client, sizes = sign_in(owner), {}
    for path in PAGES:
        answer = client.get(f"/inspections/{wide.pk}/report/{path}")
        assert answer.status_code == 200, path
        sizes[path] = len(answer.content)
    assert max(sizes.values()) < MEGABYTE // 10, sizes
    assert "Showing 200 of 10,001." in client.get(f"/inspections/{wide.pk}/report/").content.decode()


def test_a_partition_of_many_is_found_by_its_name(wide: Any, get: Any) -> None:
    page = get(wide, "report-keys").content.decode()
    assert page.count("<li><a href=") == REPLICAS_SHOWN
    assert "Showing 200 of 10,001." in page  # one more: the topic of the file, which has no record
    found = get(wide, "report-keys", find=" t-98 ", topic="t", partition=3).content.decode()
    assert "Showing 111" not in found
    assert found.count("partition=98") == 111
    assert 'partition=9876"' in found
    assert '<details class="place-choice" open>' in found
    assert "No partition contains “&lt;b&gt;”." in get(wide, "report-keys", find="<b>").content.decode()


def test_few_partitions_are_all_listed_without_a_search(inspected: Any, get: Any) -> None:
    rows = [{"topic": "t", "partition": n, "offset": 0, "key": b"k"} for n in range(3)]
    made = inspected(lambda folder: write_results(folder, records=records_table(*rows)))
    page = get(made, "report-keys").content.decode()
    assert (page.count("partition=2"), 'name="find"' in page) == (1, False)
