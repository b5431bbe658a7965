"""Hostile contents: what a page or an answer holds is bounded, whatever a record does. Bytes and rows, not seconds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.builders import records_table
from tests.webapp.reports.conftest import inspected
from tests.webapp.reports.result_folder import report_document, write_results
from webapp.api.rest.cursors import PAGE_BYTES
from webapp.reports.views.record import HEADERS_SHOWN

__all__ = ["inspected"]

MEGABYTE = 1_000_000
PAGES = (
    "", "strip.json", "timeline/", "timeline/figure.json", "keys/", "records/", "records/1/", "records/2/", "records/3/",
    "state/", "transactions/", "log/", "formats/", "files/", "repair/", "compare/",
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
    assert "99,000 more headers are not shown" in page


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


def test_ten_thousand_partitions_are_listed_within_bounds(inspected: Any, owner: Any, sign_in: Any) -> None:
    names = [f"t-{n}" for n in range(10_000)]
    coverage = report_document()["coverage"] | {
        "records_per_partition": dict.fromkeys(names, 1),
        "offsets_per_partition": {name: [0, 0] for name in names},
    }
    rows = [{"topic": "t", "partition": n, "offset": 0, "key": b"k"} for n in range(10_000)]
    report = report_document(coverage=coverage)
    made = inspected(lambda folder: write_results(folder, report, records=records_table(*rows)))
    client = sign_in(owner)
    for path in PAGES:
        answer = client.get(f"/inspections/{made.pk}/report/{path}")
        assert answer.status_code == 200, path
        assert len(answer.content) < 2 * MEGABYTE, path
