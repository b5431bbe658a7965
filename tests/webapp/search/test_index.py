"""Names of reports go into the index when an inspection ends, and out of it with the journal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.builders import other_table, records_table
from tests.webapp.reports.registry import WHERE
from tests.webapp.reports.result_folder import write_results
from webapp.journals.models import Inspection
from webapp.search import index
from webapp.search.matching import has_trigrams, matching_names, names_for_user
from webapp.search.models import IndexedName, IndexedPartition, IndexedReport

HASH = "b5f276c0" * 8


def many(folder: Path) -> Path:
    """Two of the five entities are set twice."""
    rows = [
        {
            "entity_type": "content",
            "entity_id": f"{number}",
            "valid_from_offset": number,
            "origin_offset": number,
        }
        for number in (1, 2, 3, 4, 5, 5, 4)
    ]
    state = [
        row | {"profile": "", "view": "log", "is_own": True, "attributes": f'{{"contentHash":"{HASH}"}}'}
        for row in rows
    ]
    keys = records_table(*({"offset": n, "key": f"Key-{n}".encode(), "value": b"v"} for n in range(3)))
    return write_results(folder, records=keys, state=other_table("state", *state, **WHERE))


def names(kind: str) -> list[str]:
    return list(IndexedName.objects.filter(kind=kind).order_by("pk").values_list("name", flat=True))


def test_entities_keys_and_partitions_are_indexed(indexed: Any) -> None:
    indexed()
    assert "content 1" in names("entity")
    assert "artifact pay/money" in names("entity")
    assert "Content 1" in names("key")
    assert IndexedName.objects.get(name="Content 1", kind="key").text == "content 1 content-1"
    assert "content-2" in names("key")
    row = IndexedPartition.objects.get()
    assert (row.name, row.first_offset, row.last_offset) == ("journal-0", 0, 16)


def test_what_has_most_records_is_kept_where_there_is_more(
    indexed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "ENTITIES", index.ENTITIES.replace("LIMIT 1000", "LIMIT 2"))
    indexed(make_results=many)
    assert sorted(names("entity")) == ["content 4", "content 5"]
    report = IndexedReport.objects.get()
    assert (report.names, report.indexed) == (8, 5)


def test_a_hash_leads_to_its_entity(indexed: Any, owner: Any) -> None:
    indexed(make_results=many)
    assert len(matching_names(owner, "entity", HASH[:12].upper(), 10)) == 5


def test_a_newer_inspection_takes_the_place_of_the_older(indexed: Any, write_once: Any) -> None:
    older = indexed()
    newer = Inspection.objects.create(journal=older.journal, state="done")
    write_once(many, newer.results)
    index.index_report(newer)
    assert IndexedReport.objects.get().inspection == newer
    assert "artifact pay/money" not in names("entity")
    index.index_report(older)
    assert IndexedReport.objects.get().inspection == newer


def test_a_deleted_journal_leaves_nothing(indexed: Any, owner: Any) -> None:
    inspection = indexed()
    inspection.journal.inspections.all().delete()
    assert not IndexedName.objects.exists()
    assert matching_names(owner, "entity", "pay/money", 10) == []


def test_housekeeping_indexes_older_reports_and_tries_each_once(indexed: Any, project: Any) -> None:
    first, second = indexed("a"), indexed("b")
    IndexedReport.objects.all().delete()
    gone = Inspection.objects.create(journal=second.journal, state="done")  # without results
    assert index.catch_up() == 2
    assert [report.inspection for report in IndexedReport.objects.all()] == [first]
    assert index.catch_up() == 0
    gone.delete()
    assert index.catch_up() == 1


def test_names_from_damaged_bytes_are_stored(indexed: Any, owner: Any) -> None:
    def damaged(folder: Path) -> Path:
        rows = records_table({"offset": 0, "key": b"a\x00\xff\xfe" + b"x" * 900, "value": b"v"})
        return write_results(folder, records=rows)

    indexed(make_results=damaged)
    (key,) = names("key")
    assert len(key) <= 300


def test_sqlite_has_the_trigrams(indexed: Any, owner: Any, django_assert_max_num_queries: Any) -> None:
    from django.db import connection

    assert has_trigrams() == (connection.vendor == "sqlite")
    indexed()
    with django_assert_max_num_queries(8):
        assert matching_names(owner, "entity", "AY/mon", 10)[0].name == "artifact pay/money"
    assert names_for_user(owner).exists()
