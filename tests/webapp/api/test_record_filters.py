"""The filter language in the API: the same records as on the page, and mistakes with their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results


def payments(folder: Path) -> Path:
    rows = [
        {
            "partition": n % 2,
            "offset": n // 2,
            "value": b'{"amount": %d}' % (n * 100),
            "timestamp_ms": 1_794_664_800_000 + n * 60_000,
        }
        for n in range(20)
    ]
    return write_results(folder, records=records_table(*rows))


def offsets(caller: Any, inspection: Any, **query: str) -> list[tuple[int, int]]:
    found, address = [], f"/inspections/{inspection.pk}/records/?{urlencode(query)}"
    while address:
        answer = caller.get(address).json()
        found += [(row["partition"], row["offset"]) for row in answer["results"]]
        address = answer["next"]
    return found


@pytest.mark.parametrize("limit", ["1", "3", "100"])
def test_records_that_match_are_listed_page_by_page(
    owner: Any, program: Any, inspected: Any, limit: str
) -> None:
    inspection = inspected(payments)
    caller = program(owner)
    assert offsets(caller, inspection, filter="value.amount > 1500 or offset:0", limit=limit) == [
        (0, 0), (0, 8), (0, 9), (1, 0), (1, 8), (1, 9),
    ]  # fmt: skip
    assert offsets(caller, inspection, filter="time:15:02", zone="Europe/Berlin", limit=limit) == [(0, 1)]
    assert offsets(caller, inspection, filter="offset:1", first="1", limit=limit) == [(0, 1), (1, 1)]


@pytest.mark.parametrize("path", ["records/", "exports/records.csv"])
def test_a_mistake_is_answered_with_its_place(owner: Any, program: Any, inspected: Any, path: str) -> None:
    answer = program(owner).get(f"/inspections/{inspected(payments).pk}/{path}?filter=offset:1+kind:updat")
    assert answer.status_code == 400
    assert answer.json() == {
        "error": answer.json()["error"], "field": "filter", "position": 15,
    }  # fmt: skip
    assert answer.json()["error"].startswith("Character 15 of the filter: ")
    assert "Did you mean update?" in answer.json()["error"]
