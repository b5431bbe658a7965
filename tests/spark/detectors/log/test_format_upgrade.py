"""Formats that only went up: a remark."""

from __future__ import annotations

from typing import Any

import pytest

from tests.spark.detectors.log.histories import log


def test_an_upgrade_is_a_remark_with_each_step(inspect: Any) -> None:
    (finding,) = inspect(batches=log(0, 1, 2))
    assert (finding.detector, finding.severity) == ("format-upgrade", "info")
    assert (finding.first_offset, finding.last_offset) == (10, 20)
    assert (
        finding.title == "journal-0 was upgraded from message format 0 to 1 at offset 10 and 2 at offset 20"
    )


@pytest.mark.parametrize("magics", [(2,), (1,), (2, 1), (1, 2, 1, 2)], ids=str)
def test_anything_else_is_no_upgrade(inspect: Any, magics: tuple[int, ...]) -> None:
    assert inspect("format-upgrade", batches=log(*magics)) == []
