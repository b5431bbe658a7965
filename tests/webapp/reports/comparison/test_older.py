"""The page of dumps to compare with says whether one of them ends before the loss."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from spark.terms.typed_text import typed
from spark.terms.typed_wording import moment
from tests.builders import records_table
from tests.webapp.reports.result_folder import finding, report_document, write_results
from webapp.reports.comparison.older import loss_ms

pytestmark = pytest.mark.django_db
FIRST, EMPTIED, LAST = 1_700_000_000_000, 1_700_000_050_000, 1_700_000_090_000
LOST = {"finding": "cause", "kind": "lost", "entity_type": "content", "entity_id": "8", "when": "already"}


def incident(at_ms: int | None, **victim: Any) -> dict[str, Any]:
    title = "1 content item emptied" + (f" at {moment(at_ms)}" if at_ms is not None else "")
    return {
        "id": "one",
        "title": title,
        "findings": ["cause"],
        "victims": [LOST | victim],
        "typed": {"title": typed(title)},
    }


def broken(folder: Path, dialect: str = "plain", **members: Any) -> Path:
    document = report_document(
        journals=[{"topic": "journal", "dialect": dialect, "profile": ""}],
        findings=[finding("cause")],
        incidents=[incident(EMPTIED, **members)],
    )
    rows = [{"offset": offset, "key": b"ours-%d" % offset} for offset in range(30)]
    return write_results(folder, document, records=records_table(*rows))


def other(folder: Path) -> Path:
    rows = [{"offset": offset, "key": b"theirs-%d" % offset} for offset in range(30)]
    return write_results(folder, report_document(), records=records_table(*rows))


def summary(last_ms: int | None) -> dict[str, Any]:
    return {"topics": ["journal"], "first_timestamp_ms": FIRST, "last_timestamp_ms": last_ms}


@pytest.fixture
def page_of(inspected: Any, get: Any) -> Callable[..., str]:
    """Beside dumps that end then."""

    def page(*last_ms: int | None, dialect: str = "plain", **members: Any) -> str:
        here = inspected(partial(broken, dialect=dialect, **members), summary=summary(LAST))
        for end in last_ms:
            inspected(other, summary=summary(end))
        return str(get(here, "report-compare").content.decode())

    return page


def test_where_no_dump_ends_before_the_loss_it_says_so(page_of: Callable[..., str]) -> None:
    page = page_of(EMPTIED, LAST)
    assert "No dump here ends before" in page
    assert "2023-11-14 22:14:10" in page
    assert "A later dump can help if the lost records were not yet removed." in page
    assert "Ends before the loss" not in page


def test_a_dump_without_times_may_end_before_the_loss(page_of: Callable[..., str]) -> None:
    assert "No dump here is known to end before" in page_of(LAST, None)


def test_a_dump_that_ends_before_the_loss_is_marked(page_of: Callable[..., str]) -> None:
    page = page_of(EMPTIED - 1, LAST)
    assert page.count("Ends before the loss") == 1
    assert "no record in common" not in page
    assert "are marked." in page


def test_a_dump_of_another_log_says_that_it_is_none_of_this_one(page_of: Callable[..., str]) -> None:
    page = page_of(EMPTIED - 1, dialect="apicurio-v2")
    assert "Ends before the loss; no record in common with this log found" in page


def test_what_is_not_lost_yet_has_no_time_of_loss(page_of: Callable[..., str]) -> None:
    assert "the time of the loss" not in page_of(LAST, when="next_compaction")


def test_the_time_is_that_of_the_worst_loss_that_has_one() -> None:
    later, untimed = incident(EMPTIED + 5), incident(None)
    assert loss_ms({"incidents": [untimed, incident(EMPTIED), later]}) == EMPTIED
    assert loss_ms({"incidents": [incident(EMPTIED, kind="misread")]}) is None
    assert loss_ms({"incidents": [{"title": "old", "findings": []}]}) is None
    assert loss_ms({}) is None
