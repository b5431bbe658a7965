"""Detect: what cannot run says why, and one detector's defect does not take the others' answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from spark.detectors import Row, Tables, detectors
from spark.stages.detect import answer
from tests.builders import records_table


def broken(_: Tables) -> Iterable[Row]:
    raise KeyError("a member that this journal lacks")


def test_a_detector_that_breaks_off_is_named_and_the_others_answer(
    capsys: pytest.CaptureFixture[Any],
) -> None:
    sound = detectors()["null-key"]
    chosen = [replace(detectors()["offset-order"], find=broken, absent=lambda _: None), sound]
    found, reasons = answer(chosen, Tables.of({"records": records_table({"offset": 1})}))
    assert found == []
    assert "a defect of Journalscope broke it off on this input (KeyError)" in reasons["offset-order"]
    assert "a member that this journal lacks" in capsys.readouterr().err
