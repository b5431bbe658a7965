"""The report's advice on message formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.advice.brokers import Broker
from spark.report.format_advice import advice_over, format_advice
from spark.tables import Manifest
from tests.builders import files_table, given_tables, other_table


def stretches(*magics: int) -> Any:
    """Rows of `formats`."""
    rows = (
        {"number": n, "magic": magic, "first_offset": n, "last_offset": n, "batches": 1}
        | {"first_leader_epoch": -1, "last_leader_epoch": -1}
        for n, magic in enumerate(magics)
    )
    return other_table("formats", *rows)


def producers(advice: dict[str, Any]) -> str:
    (section,) = (section for section in advice["sections"] if section["id"] == "producers")
    return " ".join(section["sentences"])


def test_without_formats_there_is_no_advice(tmp_path: Path) -> None:
    assert format_advice(Manifest(tmp_path, {}, {})) == []


@pytest.mark.parametrize(("magics", "count"), [((2,), 0), ((1, 2), 1), ((1,), 1)], ids=str)
def test_logs_of_format_2_all_along_are_left_out(magics: tuple[int, ...], count: int) -> None:
    assert len(advice_over(given_tables({"formats": stretches(*magics)}))) == count


def test_a_snapshot_of_producers_tells_a_newer_broker() -> None:
    files = files_table({"name": "journal-0/00000000000000000001.snapshot", "kind": "companion"})
    (old_or_new,) = advice_over(given_tables({"formats": stretches(1)}))
    (new,) = advice_over(given_tables({"formats": stretches(1), "files": files}))
    assert "fails in the producer itself" in producers(old_or_new)
    assert "fails in the producer itself" not in producers(new)


def test_stated_settings_come_first() -> None:
    (advice,) = advice_over(given_tables({"formats": stretches(1)}), Broker(version="0.10.2"))
    assert "UNKNOWN_SERVER_ERROR" not in producers(advice)
