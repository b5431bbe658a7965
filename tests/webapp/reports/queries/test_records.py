"""Pages of records and of keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.filters.compiled import compiled
from webapp.reports.filters.former import read_filter
from webapp.reports.filters.parser import parse_filter
from webapp.reports.queries import records as records_module
from webapp.reports.queries.keys import KeysQuery, find_exact_key, find_key, key_id, life_of, list_keys
from webapp.reports.queries.partitions import survey
from webapp.reports.queries.records import RecordPosition, list_records
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows: list[dict[str, Any]] = [
        {
            "key": b"key-%d" % (n % 7),
            "value": None if n % 11 == 10 else b'{"n": %d}' % n,
            "entry_type": "A" if n % 2 else "B",
        }
        for n in range(450)
    ]
    rows += [{"key": b"\xff\x00bin", "value": b"\xfe\x22"}, {"offset": 449, "key": b"twice"}]
    return write_results(tmp_path, records=records_table(*rows))


def page(folder: Path, after: int | None = None, before: int | None = None, **asked: Any) -> Any:
    with open_results(folder) as results:
        facts = survey(results).facts[JOURNAL]
        return list_records(results.of(JOURNAL), read_filter(asked), facts, RecordPosition(after, before))


def offsets(found: Any) -> list[int]:
    return list(found.offsets)


def test_pages_follow_each_other_without_loss(folder: Path) -> None:
    first = page(folder)
    second = page(folder, after=offsets(first)[-1])
    third = page(folder, after=offsets(second)[-1])
    assert sorted(offsets(first) + offsets(second) + offsets(third)) == sorted([*range(451), 449])
    assert first.total == 452
    assert not third.has_more


def test_the_page_before_ends_ahead(folder: Path) -> None:
    assert offsets(page(folder, before=300)) == list(range(100, 300))


def test_records_that_share_an_offset_are_on_one_page(folder: Path) -> None:
    assert offsets(page(folder, first="449", last="449")) == [449, 449]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"kind": "tombstone", "last": "40"}, [10, 21, 32]),
        ({"type": "A", "last": "5"}, [1, 3, 5]),
        ({"key": "key-3", "last": "20"}, [3, 10, 17]),
        ({"key": "\\xFF"}, [450]),
        ({"value": '"n": 44'}, [44, *range(440, 450)]),
        ({"value": '"n": 44', "key": "key-2"}, [44, 443]),
        ({"value": "nowhere"}, []),
    ],
)
def test_filters(folder: Path, asked: dict[str, Any], expected: list[int]) -> None:
    found = page(folder, **asked)
    assert sorted(set(offsets(found))) == expected


def test_a_search_in_values_says_which_offsets_it_went_through(folder: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(records_module, "VALUES_SEARCHED", 100)
    found = page(folder, value='"n": 44')
    assert (offsets(found), found.searched, found.total) == ([44], (0, 99), None)
    assert page(folder, value='"n": 44', after=399).searched == (400, 450)


def test_a_search_cut_by_the_page_claims_only_what_it_showed(folder: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(records_module, "VALUES_SEARCHED", 400)
    found = page(folder, value="n")
    assert len(found.offsets) == 200
    assert found.searched == (0, offsets(found)[-1])


def keys(folder: Path, filtered: str = "", **asked: Any) -> tuple[list[bytes], int]:
    with open_results(folder) as results:
        matching = compiled(results.of(JOURNAL), parse_filter(filtered))
        rows, total = list_keys(results.of(JOURNAL), KeysQuery(**asked), matching)
    return [bytes(row["key"]) for row in rows], total


def test_keys_are_sorted_and_counted(folder: Path) -> None:
    found, total = keys(folder, "key:key-*", sort="key", descending=False)
    assert found == [b"key-%d" % n for n in range(7)]
    assert total == 7
    assert keys(folder, sort="versions")[0][-2:] != found[-2:]


def test_a_key_is_listed_if_one_of_its_records_matches(folder: Path) -> None:
    assert keys(folder, "value.n:3,10,11", sort="key", descending=False) == ([b"key-3", b"key-4"], 2)
    assert keys(folder, "versions:1") == ([b"\xff\x00bin", b"twice"], 2)
    assert keys(folder, "live:0") == ([], 0)


def test_a_key_is_found_by_its_bytes_and_by_its_name_in_the_url(folder: Path) -> None:
    with open_results(folder) as results:
        exact = find_exact_key(results.of(JOURNAL), b"\xff\x00bin")
        assert exact
        name = key_id(exact["key_hash_1"], exact["key_hash_2"])
        assert len(name) == 32
        assert find_key(results.of(JOURNAL), name) == exact
        assert find_exact_key(results.of(JOURNAL), b"bin") is None


def test_a_life_is_paged_by_offset(folder: Path) -> None:
    with open_results(folder) as results:
        found = find_exact_key(results.of(JOURNAL), b"key-3")
        assert found
        name = key_id(found["key_hash_1"], found["key_hash_2"])
        first, following = life_of(results.of(JOURNAL), name, 0)
        assert following is not None
        second, end = life_of(results.of(JOURNAL), name, following)
    assert end is None
    assert [row["offset"] for row in first + second] == list(range(3, 450, 7))
