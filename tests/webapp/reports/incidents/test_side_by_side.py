"""Records of several replicas side by side: what differs, and where there is no record."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from spark.terms import marked
from tests.builders import batches_table, other_table, records_table
from tests.webapp.reports.result_folder import finding, report_document, write_results
from webapp.reports.incidents.short_folders import apart
from webapp.reports.incidents.side_by_side import Fact, differing

pytestmark = pytest.mark.django_db
ONE, TWO, THREE = (f"dump.tgz/run/broker-{number}" for number in (1, 2, 3))
LONG = b"x" * 20_000


def diverged(folder: Path, replicas: dict[str, list[dict[str, Any]]], evidence: list[int]) -> Path:
    """A finding that names these replicas, each with its records."""
    rows = [{"replica": name, "key": b"k", **row} for name, own in replicas.items() for row in own]
    names = " and ".join(map(marked.replica, replicas))
    cause = finding(
        "cause",
        detector="replica-divergence",
        title="Consumers of journal-0 get different records",
        explanation=f"Replicas {names} have diverged.",
        first_offset=evidence[0],
        last_offset=evidence[-1],
        evidence=evidence,
        replica="",
    )
    tables = {
        "records": records_table(*rows),
        "batches": batches_table(
            *(
                {"replica": name, "base_offset": row["offset"]}
                for name, own in replicas.items()
                for row in own
            )
        ),
        "gaps": other_table("gaps"),
    }
    return write_results(folder, report_document(findings=[cause]), **tables)


@pytest.fixture
def text_of(inspected: Any, get: Any) -> Callable[..., str]:
    """The Overview's words."""

    def text(replicas: dict[str, list[dict[str, Any]]], evidence: list[int]) -> str:
        inspection = inspected(lambda folder: diverged(folder, replicas, evidence))
        page = get(inspection, "report-overview").content.decode()
        return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page)))

    return text


def test_what_differs_stands_beside_each_other_and_what_is_the_same_is_left_out(
    text_of: Callable[..., str],
) -> None:
    page = text_of(
        {
            ONE: [{"offset": 5, "value": b"first", "timestamp_ms": 1_700_000_000_000}],
            TWO: [{"offset": 5, "value": b"second", "timestamp_ms": 1_700_000_000_000}],
        },
        [5],
    )
    assert "Offset …/broker-1 …/broker-2 5 key k value first Open record value second Open record" in page
    assert "journal-0 (…/broker-1, …/broker-2) Consumers of journal-0 get different records" in page
    assert "SHA-256" not in page


def test_values_that_begin_alike_have_their_digests(text_of: Callable[..., str]) -> None:
    page = text_of(
        {ONE: [{"offset": 5, "value": LONG + b"a"}], TWO: [{"offset": 5, "value": LONG + b"b"}]}, [5]
    )
    assert page.count("SHA-256 of the value") == 2


def test_replicas_with_the_same_records_share_a_column(text_of: Callable[..., str]) -> None:
    one, other = {"offset": 5, "value": b"first"}, {"offset": 5, "value": b"second"}
    page = text_of({ONE: [one], TWO: [other], THREE: [one]}, [5])
    assert "Offset …/broker-1, …/broker-3 …/broker-2" in page


def test_an_offset_that_one_of_them_lacks_says_so(text_of: Callable[..., str]) -> None:
    same = {"offset": 5, "value": b"same"}
    page = text_of({ONE: [same], TWO: [same, {"offset": 6, "value": b"more"}]}, [5, 6])
    assert "6 key k not in this replica value more" in page
    assert "by 3 records" in page


def test_replicas_with_the_same_records_are_not_shown_side_by_side(text_of: Callable[..., str]) -> None:
    same = [{"offset": 5, "value": b"same"}]
    assert "Open record" not in text_of({ONE: same, TWO: same}, [5])


def test_only_different_facts_are_named() -> None:
    def facts(value: str, digest: str, time: int) -> list[Fact]:
        return [Fact("value", digest, value), Fact("SHA-256 of the value", digest, digest), Fact("time (UTC)", time, str(time))]  # fmt: skip

    assert differing([facts("a", "1", 7), facts("b", "2", 7)]) == {"value"}
    assert differing([facts("a", "1", 7), facts("a", "2", 8)]) == {
        "value", "SHA-256 of the value", "time (UTC)",
    }  # fmt: skip
    assert differing([facts("a", "1", 7), facts("a", "1", 7)]) == set()


def test_folders_have_as_many_last_parts_as_tell_them_apart() -> None:
    assert apart(["run/a/broker-1", "run/a/broker-2"]) == {
        "run/a/broker-1": "…/broker-1",
        "run/a/broker-2": "…/broker-2",
    }
    assert apart(["run/a/data", "run/b/data"]) == {"run/a/data": "…/a/data", "run/b/data": "…/b/data"}
    assert apart(["left", "right"]) == {"left": "left", "right": "right"}
