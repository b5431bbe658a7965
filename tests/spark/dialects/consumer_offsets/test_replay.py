"""What a group coordinator holds after reading its partition: offsets, classic groups, groups of the newer protocols."""

from __future__ import annotations

import json
import random
import struct
from typing import Any

import pytest

from spark.dialects.consumer_offsets import dialect
from spark.dialects.consumer_offsets.interpret import interpret
from tests.builders import records_table
from tests.spark.replays import replayed

Key = tuple[str, str]
Record = tuple[bytes, bytes | None]


def text(value: bytes) -> bytes:
    return struct.pack(">h", len(value)) + value


def commit(offset: int | None, group: bytes = b"g", partition: int = 0) -> Record:
    key = struct.pack(">h", 1) + text(group) + text(b"orders") + struct.pack(">i", partition)
    return key, None if offset is None else struct.pack(">hqi", 3, offset, 0) + text(b"") + struct.pack(
        ">q", 1
    )


def classic(*members: bytes, group: bytes = b"g") -> Record:
    each = b"".join(
        text(m) + struct.pack(">h", -1) + text(b"c") + text(b"/h") + struct.pack(">iiii", 1, 1, 0, 0)
        for m in members
    )
    value = struct.pack(">h", 3) + text(b"connect") + struct.pack(">ihhqi", 4, -1, -1, 0, len(members)) + each
    return struct.pack(">h", 2) + text(group), value


def of_group(kind: int, value: bytes | None, *more: bytes) -> Record:
    return struct.pack(">h", kind) + text(b"g") + b"".join(text(part) for part in more), value


def epoch(kind: int, number: int) -> Record:
    metadata_hash = b"" if kind == 3 else bytes(8)
    return of_group(kind, struct.pack(">hi", 0, number) + metadata_hash + b"\x00")


def member(name: bytes) -> Record:
    return of_group(5, b"\x00\x00" + b"\x00\x00\x02c\x02h\x01\x00" + struct.pack(">i", 1) + b"\x00\x00", name)


def current(name: bytes, number: int, state: int = 0) -> Record:
    return of_group(8, struct.pack(">hiib", 0, number, 0, state) + b"\x01\x01\x00", name)


def held(*records: Record) -> dict[Key, dict[str, Any]]:
    rows = records_table(*({"key": key, "value": value} for key, value in records))
    state, _ = replayed(dialect, interpret(rows))
    return {
        (row["entity_type"], row["entity_id"]): json.loads(row["attributes"])
        for row in state.to_pylist() if row["valid_to_offset"] is None
    }  # fmt: skip


def group_state(*records: Record) -> Any:
    return held(*records).get(("group", "g"), {}).get("state")


def test_the_newest_commit_counts_and_a_tombstone_ends_it() -> None:
    assert held(commit(1), commit(5))["offset-commit", "g/orders/0"]["offset"] == 5
    assert held(commit(1), commit(None)) == {}


def test_a_group_of_offsets_only_is_empty_and_goes_with_its_last() -> None:
    assert held(commit(1), commit(2, partition=1), commit(None))["group", "g"]["isSimple"] is True
    assert ("group", "g") not in held(
        commit(1), commit(2, partition=1), commit(None), commit(None, partition=1)
    )


def test_a_classic_group_is_stable_with_members_and_empty_without() -> None:
    assert group_state(classic(b"m1", b"m2")) == "Stable"
    assert group_state(classic(b"m1"), classic()) == "Empty"


def test_members_that_left_are_gone() -> None:
    assert sorted(
        id for kind, id in held(classic(b"m1", b"m2"), classic(b"m2")) if kind == "group-member"
    ) == ["g/m2"]


def test_a_deleted_group_is_gone_unless_offsets_are_left() -> None:
    tombstone = classic()[0], None
    assert held(classic(b"m1"), commit(1), commit(None), tombstone) == {}
    assert held(classic(b"m1"), commit(1), tombstone)["group", "g"]["isSimple"] is True


def test_a_commit_brings_a_deleted_group_back_as_one_of_offsets_only() -> None:
    assert held(classic(b"m1"), (classic()[0], None), commit(1))["group", "g"]["isSimple"] is True


def test_a_consumer_group_goes_through_its_states() -> None:
    story = [
        epoch(3, 1),
        member(b"m1"),
        epoch(3, 2),
        epoch(6, 2),
        current(b"m1", 2, state=1),
        current(b"m1", 2),
    ]
    states = [group_state(*story[: count + 1]) for count in range(len(story))]
    assert states == ["Empty", "Assigning", "Assigning", "Reconciling", "Reconciling", "Stable"]


def test_a_member_at_an_older_epoch_keeps_the_group_reconciling() -> None:
    story = [epoch(3, 1), member(b"m1"), member(b"m2"), epoch(6, 1), current(b"m1", 1), current(b"m2", 1)]
    assert group_state(*story) == "Stable"
    assert group_state(*story, epoch(6, 2), current(b"m1", 2)) == "Reconciling"
    assert group_state(*story, epoch(6, 2), current(b"m1", 2), of_group(5, None, b"m2")) == "Stable"


def test_a_share_group_knows_empty_and_stable_only() -> None:
    joined = of_group(10, b"\x00\x00\x00\x02c\x02h\x01\x00", b"m1")
    assert group_state(epoch(11, 1)) == "Empty"
    assert group_state(epoch(11, 1), joined) == "Stable"


def test_what_cannot_be_read_is_refused_with_its_reason() -> None:
    rows = records_table(
        {"key": struct.pack(">h", 99)},
        {"key": commit(1)[0], "value": b"\x00"},
        {"key": commit(2)[0], "value": commit(2)[1]},
    )
    state, refusals = replayed(dialect, interpret(rows))
    assert [(row["offset"], row["reason"]) for row in refusals.to_pylist()] == [
        (0, "unknown-type"),
        (1, "unreadable"),
    ]
    assert state.num_rows == 2


@pytest.mark.parametrize("seed", range(20))
def test_what_the_cleaner_leaves_gives_the_same_groups_and_offsets(seed: int) -> None:
    history = legal_history(random.Random(seed))
    newest = {key: place for place, (key, _) in enumerate(history)}
    left = [record for place, record in enumerate(history) if newest[record[0]] == place]
    assert held(*left) == held(*history)
    assert held(*(record for record in left if record[1] is not None)) == held(*history)


def legal_history(chance: random.Random) -> list[Record]:
    """Two groups that join, commit, lose offsets and are deleted, with all their offsets, as a coordinator does it."""
    story: list[Record] = []
    for _ in range(60):
        name, number = chance.choice([b"g", b"h"]), chance.randrange(3)
        step = chance.randrange(6)
        if step < 3:
            story.append(commit(chance.randrange(100), name, number))
        elif step == 3:
            story.append(classic(*chance.sample([b"m1", b"m2", b"m3"], chance.randrange(4)), group=name))
        elif step == 4:
            story.append(commit(None, name, number))
        else:
            story += [commit(None, name, each) for each in range(3)]
            story.append((classic(group=name)[0], None))
    return story
