"""What a replay has shown of an incident with several causes: each cause with its own records."""

from __future__ import annotations

from typing import Any

from spark.terms.marked import offset
from spark.terms.typed_text import typed
from spark.terms.typed_wording import at_offsets
from webapp.reports.incident_cards import replay_of
from webapp.reports.incidents.short_steps import plain
from webapp.reports.report import ReportFinding


def cause(*kept: int) -> ReportFinding:
    members: dict[str, Any] = dict.fromkeys(ReportFinding.__dataclass_fields__, None)
    confirmed = f"\nReplay confirms the cause: with {at_offsets(kept)} kept, compaction changes nothing about artifact a."
    text = f"Compaction removes {offset(7)}." + (confirmed if kept else "")
    return ReportFinding(**members | {"blocks": {"explanation": list(typed(text))}})


def test_each_cause_has_its_own_records() -> None:
    assert plain(replay_of([cause(200), cause(30), cause(226)])) == (
        "Replay confirms each cause: with the records of a cause kept (offsets 30, 200 and 226), compaction changes nothing about its victims."
    )


def test_causes_that_no_replay_confirmed_are_counted() -> None:
    assert plain(replay_of([cause(200), cause(), cause(226)])).startswith("Replay confirms 2 of 3 causes: ")


def test_a_single_cause_has_a_sentence_of_its_own() -> None:
    assert not replay_of([cause(200)])
    assert not replay_of([cause(), cause()])
