"""The state that replay gives is the one the real service had."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spark.states import cases, differences


@pytest.mark.parametrize("case", cases("*/*"))
def test_the_replay_gives_the_state_of_the_real_service(case: str, tmp_path: Path) -> None:
    assert differences(case, tmp_path / "results") == []
