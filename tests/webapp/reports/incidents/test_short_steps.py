"""Steps as the Overview shows them: warnings, actions and commands first, the rest folded; six at most."""

from __future__ import annotations

import pytest

from spark.terms import marked
from webapp.reports.incidents.short_steps import MAX_STEPS, plain, short_plan, short_step
from webapp.reports.typed_text import line_of_marked, own

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


@pytest.mark.parametrize(
    ("text", "differs"),
    [
        ("Register every schema ({a} and {b}) again. Restart the producers.", "c and d"),
        ("Find messages with ID {n} from offset {m} on. Read them.", "ID 4 from offset 7"),
        ("Register these schemas: {a} (text at offset {m}). Restart the producers.", "c (text at offset 7)"),
        ("Copy the record {n}. Then copy {m}. Keep the keys.", "Copy the record 4. Then copy 7."),
    ],
    ids=["names", "numbers", "in brackets", "two sentences"],
)
def test_a_step_alike_tells_only_what_differs(text: str, differs: str) -> None:
    first, second = (
        line_of_marked(
            text.format(
                a=marked.name(names[0]),
                b=marked.name(names[1]),
                n=marked.name(numbers[0]),
                m=marked.name(numbers[1]),
            )
        )
        for names, numbers in ((("a", "b"), ("3", "6")), (("c", "d"), ("4", "7")))
    )
    (step,) = short_plan([("x", first), ("y", second)]).steps
    assert plain(step.alike[0]) == differs
    assert plain(step.for_all) == f"{plain(first)} The same for: {differs}"


def test_a_step_that_begins_alike_and_ends_in_other_words_is_told_whole() -> None:
    texts = [
        f"If the records {marked.name(name)} cannot be restored, {words}."
        for name, words in (("orders", "ask its producer"), ("_schemas", "register it again"))
    ]
    (step,) = short_plan([(str(number), line_of_marked(text)) for number, text in enumerate(texts)]).steps
    assert plain(step.alike[0]) == "If the records _schemas cannot be restored, register it again."


def test_more_than_six_steps_end_in_a_fold() -> None:
    plan = short_plan((None, own(f"Step {number}.")) for number in range(9))
    assert (len(plan.steps), len(plan.further), plan.count) == (MAX_STEPS - 1, 4, 9)


def test_steps_of_many_words_end_in_a_fold_sooner() -> None:
    plan = short_plan((None, own(f"Step {number} " + "word " * 28)) for number in range(5))
    assert (len(plan.steps), len(plan.further)) == (3, 2)


def test_a_plan_beside_many_victims_has_room_for_more_steps() -> None:
    steps = [(None, own(f"Step {number} " + "word " * 18)) for number in range(5)]
    assert [len(short_plan(steps, rows).steps) for rows in (0, 2, 3, 4)] == [3, 3, 4, 5]


def test_the_words_of_commands_do_not_count() -> None:
    plan = short_plan((None, own(f"Run this as step {number}: {COMMAND * 9}")) for number in range(6))
    assert (len(plan.steps), len(plan.further)) == (6, 0)


def test_the_first_warning_stands_for_itself() -> None:
    plan = short_plan([(None, own("Warning: do not restart. Take a dump."))])
    assert plain(plan.warning) == "Warning: do not restart."
    assert short_plan([(None, own("Take a dump."))]).warning == ()


def test_a_fold_stands_beside_a_command_only_where_no_text_follows_it() -> None:
    assert short_step(own(f"Look: {COMMAND}")).is_command_last
    assert not short_step(own(f"Look: {COMMAND}. Then check it.")).is_command_last
    assert short_step(own(f"Look: {COMMAND}. {LONG}")).is_command_last
