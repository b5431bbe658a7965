"""Folders of a real broker, damaged by a script: what must be found, and nothing else of weight."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.terms.findings import WORSE_THAN_LOW

CASES = Path(__file__).parents[4].parent / "shared" / "corpus" / "brokers" / "damage-2.8.2"
NAMES = (
    "clean", "bit-flip-in-body", "bit-flip-in-header-crc", "zeroed-page", "hole", "length-field-flip",
    "duplicated-batch", "swapped-batches", "truncated-tail", "index-past-end", "misnamed-segment", "missing-segment",
    "record-count-lie", "leader-epoch-flip",
)  # fmt: skip
OURS = {
    "crc-mismatch", "unreadable-bytes", "truncated-tail", "preallocated-tail", "offset-order", "record-count-mismatch",
}  # fmt: skip


@pytest.mark.wide
@pytest.mark.skipif(not CASES.exists(), reason="the corpus of damaged folders is not beside the repository")
@pytest.mark.parametrize("name", NAMES)
def test_what_was_done_to_a_folder_is_what_is_found(inspect: Any, name: str) -> None:
    case = json.loads((CASES / name / "case.json").read_text())
    expected = [
        (wanted["finding"], wanted["first_offset"], wanted["last_offset"])
        for wanted in case["expect"]
        if wanted["finding"] in OURS
    ]
    found = inspect(CASES / name / "steady-0")
    worse = [f for f in found if f.severity in WORSE_THAN_LOW]
    assert [(f.detector, f.first_offset, f.last_offset) for f in worse] == expected
