"""Each record has one kind, wherever it stands: the list and its filter, the record's own page, its key, the export."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.generator.shipped import SAMPLES
from tests.spark.whole_pipeline import report_of
from webapp.reports.filters.former import read_filter
from webapp.reports.queries.kinds import KINDS, kinds_at
from webapp.reports.queries.partitions import survey
from webapp.reports.queries.records import RECORDS_PER_PAGE, list_records
from webapp.reports.record_table.whole import whole_records
from webapp.reports.results import open_results

TOPIC = "kafkasql-journal"


def broken(folder: Path) -> Path:
    """The sample in which contents are emptied and a rule is rejected."""
    with zipfile.ZipFile(SAMPLES / "broken.zip") as archive:
        archive.extractall(folder / "input")
    report_of(folder / "input", folder)
    return folder


@pytest.fixture
def journal(inspected: Any) -> Any:
    return inspected(broken)


@pytest.fixture
def kinds(journal: Any) -> dict[int, str]:
    """By offset, as the table says."""
    with open_results(journal.results) as results:
        rows = results.rows('SELECT "offset", kind FROM marks')
    return {row["offset"]: row["kind"] for row in rows}


def test_the_list_and_its_filter_say_the_kind_that_the_timeline_draws(
    journal: Any, kinds: dict[int, str]
) -> None:
    assert {"create", "update"} < set(kinds.values()) <= set(KINDS)
    with open_results(journal.results) as results:
        whole = survey(results)
        (replica,) = [replica for replica in whole.facts if replica.topic == TOPIC]
        partition, facts = results.of(replica), whole.facts[replica]
        for kind in KINDS:
            listed = list_records(partition, read_filter({"kind": kind}), facts)
            fitting = sorted(offset for offset in kinds if kinds[offset] == kind)
            if kind == "tombstone":  # every null value, also one that deletes an entity
                assert facts.tombstones == listed.total
                assert set(fitting) <= set(listed.offsets)
            else:
                assert listed.total == len(fitting)
                assert listed.offsets == fitting[:RECORDS_PER_PAGE]
                assert {row["kind"] for row in whole_records(partition, listed.offsets)} <= {kind}


def test_the_record_its_key_and_the_export_say_it(journal: Any, kinds: dict[int, str], get: Any) -> None:
    content = b"".join(get(journal, "report-records-export", "csv").streaming_content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheet = archive.read("records.csv").decode()
    assert {int(row["offset"]): row["kind"] for row in csv.DictReader(io.StringIO(sheet))} == kinds
    seen = set()
    for offset in sorted(kinds)[:: len(kinds) // 8]:
        page = get(journal, "report-record", offset).content.decode()
        assert fact(r"<dt>Kind</dt><dd>(\w+) <svg", page) == kinds[offset]
        key = fact(r"/keys/([0-9a-f]{32})/", page)
        life = get(journal, "report-key", key).content.decode()
        versions = re.findall(r'<li class="card life-(\w+)">.*?<a [^>]*>([\d,]+)</a>', life, re.DOTALL)
        assert {at: kind for kind, at in versions}[str(offset)] == kinds[offset]
        seen.add(kinds[offset])
    assert len(seen) > 1


def fact(pattern: str, page: str) -> str:
    match = re.search(pattern, page)
    assert match, pattern
    return match[1]


def test_kinds_of_many_offsets_are_asked_at_once(journal: Any, kinds: dict[int, str]) -> None:
    with open_results(journal.results) as results:
        (replica,) = [replica for replica in survey(results).facts if replica.topic == TOPIC]
        assert kinds_at(results.of(replica), list(kinds)) == kinds


def test_the_former_word_for_rejected_still_opens_the_same_list(journal: Any, get: Any) -> None:
    former, present = (
        get(journal, "report-records", kind=kind).content.decode() for kind in ("dropped", "rejected")
    )
    assert 'value="kind:dropped"' in former
    counts = [re.findall(r'class="shown"[^>]*>(.*?)</p>', text) for text in (former, present)]
    assert counts[0] == counts[1] != []
