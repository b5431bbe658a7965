"""Steps of several findings that differ only in the partition are one step, which names each partition."""

from __future__ import annotations

from spark.terms import marked
from spark.terms.joined_steps import MAX_PLACES, joined
from spark.terms.marked import plain
from spark.terms.typed_wording import offset_range

COPY = "Copy the folder."


def restore(number: int, first: int = 0, last: int = 0, topic: str = "orders") -> str:
    return f"Restore {offset_range(first, last)} of {marked.partition(topic, number)} from another replica."


def texts(*plans: list[str]) -> list[tuple[str | None, str]]:
    steps = joined({f"finding {number}": plan for number, plan in enumerate(plans, 1)})
    return [(finding, plain(step)) for finding, step in steps]


def test_partitions_of_the_same_step_are_named_with_their_offsets() -> None:
    assert texts([restore(0, 0, 5)], [restore(1)], [restore(2)]) == [
        (None, "Restore offsets 0-5 of orders-0, offset 0 of orders-1 and offset 0 of orders-2 from another replica.")
    ]  # fmt: skip


def test_a_step_of_some_findings_is_that_of_the_first_of_them() -> None:
    lost = f"If {marked.partition('groups', 7)} cannot be restored, it is lost."
    assert texts([restore(0)], [restore(1)], [lost]) == [
        ("finding 1", "Restore offset 0 of orders-0 and offset 0 of orders-1 from another replica."),
        ("finding 3", "If groups-7 cannot be restored, it is lost."),
    ]


def test_steps_that_differ_in_more_or_name_their_partition_in_a_command_stay_apart() -> None:
    seek = [
        f"Seek the consumers of {marked.partition('orders', number)} to offset {marked.offset(number)}."
        for number in (4, 5)
    ]
    assert len(texts([seek[0]], [seek[1]])) == 2
    commands = [f"Run `tool {marked.partition('orders', number)}`" for number in (4, 5)]
    assert len(texts([commands[0]], [commands[1]])) == 2


def test_a_finding_with_the_steps_of_an_earlier_one_adds_none() -> None:
    assert texts([COPY, restore(0)], [COPY, restore(0)]) == [
        ("finding 1", COPY),
        (None, "Restore offset 0 of orders-0 from another replica."),
    ]


def test_many_partitions_are_counted() -> None:
    ((_, step),) = texts(*([restore(number)] for number in range(MAX_PLACES + 3)))
    assert step.endswith("and 3 more from another replica.")
