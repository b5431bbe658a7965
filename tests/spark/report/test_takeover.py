"""One difference belongs to one finding; very many of them are told apart by their records, not each against each."""

from __future__ import annotations

from typing import Any

import pytest

from spark.report import takeover
from spark.report.takeover import taken_over
from spark.terms.findings import Effect, Finding


def finding(detector: str, offset: int, **more: Any) -> Finding:
    members: dict[str, Any] = {
        "title": "",
        "explanation": f"at {offset}",
        "remedy": "",
        "topic": "journal",
        "partition": 0,
    }
    return Finding(
        detector,
        "critical",
        **members,
        first_offset=offset,
        last_offset=offset,
        evidence=[offset],
        entities={f"content:{offset}"},
        **more,
    )


def general(offset: int, entity: int) -> Finding:
    """What compaction changes, decided by the record at an offset."""
    effects = [Effect("lost", "content", str(entity), "next_compaction")]
    return finding("compaction-loss", offset, effects=effects, damage=["it is lost"], cause_offset=offset)


def test_the_finding_on_the_record_that_decides_takes_the_general_one_over() -> None:
    (better,) = taken_over([finding("content-null-update", 5), general(5, 48)])
    assert better.detector == "content-null-update"
    assert [effect.entity_id for effect in better.effects] == ["48"]
    assert "it is lost" in better.explanation


def test_lines_that_the_better_finding_has_itself_are_not_repeated() -> None:
    better, damage = finding("content-null-update", 5), general(5, 48)
    better.write(
        "explanation", "- content 48: absent\nReplay confirms it.\nThe next compaction is sufficient."
    )
    damage.damage = ["After compaction:", "- content 48: absent", "Replay confirms it."]
    (same,) = taken_over([better, damage])
    assert same.explanation.endswith("The next compaction is sufficient.")


def test_one_on_another_record_or_of_another_detector_does_not() -> None:
    assert len(taken_over([finding("content-null-update", 6), general(5, 48)])) == 2
    assert len(taken_over([finding("crc-mismatch", 5), general(5, 48)])) == 2


def test_ten_thousand_losses_are_not_held_against_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    explains = takeover.explains
    monkeypatch.setattr(takeover, "explains", lambda *pair: asked.append(pair) or explains(*pair))
    losses = 10_000
    every = [one for at in range(losses) for one in (finding("content-null-update", at), general(at, at))]
    assert len(taken_over(every)) == losses
    assert len(asked) == losses
