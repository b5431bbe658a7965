"""Steps as the Overview shows them: warnings, actions and commands first, the rest folded; six at most."""

from __future__ import annotations

import pytest

from webapp.reports.incidents.short_steps import MAX_STEPS, plain, short_plan, short_step
from webapp.reports.typed_text import own

COMMAND = "`kafka-topics.sh --bootstrap-server BROKER:9092 --describe`"
LONG = "These are more words than a step may have behind its action without a fold for them."


@pytest.mark.parametrize(
    ("step", "lead", "rest"),
    [
        (f"Stop the broker. {LONG}", "Stop the broker.", LONG),
        ("Stop the broker. Start it again.", "Stop the broker. Start it again.", ""),
        (f"Warning: keep it. {LONG} Look: {COMMAND}.", f"Warning: keep it. Look: {COMMAND.strip('`')}", LONG),
        (f"Warning: keep it. Copy the folder. {LONG}", "Warning: keep it. Copy the folder.", LONG),
        (
            f"Choose. {LONG} If so: {COMMAND}. If not: {COMMAND}.",
            f"Choose. If so: {COMMAND.strip('`')} If not: {COMMAND.strip('`')}",
            LONG,
        ),
    ],
    ids=["action", "short", "command", "action behind a warning", "two commands"],
)
def test_a_step_is_its_action_with_warnings_and_commands(step: str, lead: str, rest: str) -> None:
    short = short_step(own(step))
    assert (plain(short.lead), plain(short.rest)) == (lead, rest)


def test_the_same_step_for_several_findings_is_one_step() -> None:
    plan = short_plan(
        [
            (None, own("Take a dump.")),
            ("a", own("Get the bytes of a.")),
            ("a", own("Append them.")),
            ("b", own("Get the bytes of b.")),
            ("b", own("Append them.")),
            (None, own("Start it.")),
        ]
    )
    assert [plain(step.lead) for step in plan.steps] == [
        "Take a dump.",
        "Get the bytes of a.",
        "Append them.",
        "Start it.",
    ]
    assert [[plain(line) for line in step.alike] for step in plan.steps] == [
        [],
        ["Get the bytes of b."],
        [],
        [],
    ]


def test_more_than_six_steps_end_in_a_fold() -> None:
    plan = short_plan((None, own(f"Step {number}.")) for number in range(9))
    assert (len(plan.steps), len(plan.further), plan.count) == (MAX_STEPS - 1, 4, 9)


def test_steps_of_many_words_end_in_a_fold_sooner() -> None:
    plan = short_plan((None, own(f"Step {number} " + "word " * 28)) for number in range(5))
    assert (len(plan.steps), len(plan.further)) == (3, 2)


def test_the_first_warning_stands_for_itself() -> None:
    plan = short_plan([(None, own("Warning: do not restart. Take a dump."))])
    assert plain(plan.warning) == "Warning: do not restart."
    assert short_plan([(None, own("Take a dump."))]).warning == ()
