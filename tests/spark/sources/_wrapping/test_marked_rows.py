"""Rows that a page put marks on: they are freed of them, or counted as rows that could not be read; prose stays prose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spark.sources import InputFile
from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.pieces import QUOTE, TEXT, UNREAD, Aside
from spark.sources._wrapping.written import read_split
from spark.stages.plan import plan_inputs
from spark.stages.prints.joined import joined
from tests.spark.sources._wrapping.sorted_texts import sorted_text

COMMIT = "[billing,orders,%d]::OffsetAndMetadata(offset=7%d, leaderEpoch=Optional[2], metadata=, commitTimestamp=1709000000%d00, expireTimestamp=None)"
TXN = (
    "pay-%d::TransactionMetadata(transactionalId=pay-%d, producerId=%d, producerEpoch=0, txnTimeoutMs=60000, state=Empty, "
    "pendingState=None, topicPartitions=Set(), txnStartTimestamp=-1, txnLastUpdateTimestamp=170900000%d000)"
)
ROWS = {
    "offsets": [COMMIT % (n, n, n) for n in range(3)],
    "transactions": [TXN % (n, n, n, n) for n in range(3)],
    "ksql": [f"rowtime: 2024/02/27 02:13:2{n}.000 Z, key: k{n}, value: v{n}, partition: 0" for n in range(3)],
    "mirror": [
        f"OffsetSync{{topicPartition=orders-{n}, upstreamOffset=1{n}, downstreamOffset={n}}}"
        for n in range(3)
    ],
    "console": [f'CreateTime:170900000{n}000\tPartition:0\tOffset:{n}\tk{n}\t{{"n":{n}}}' for n in range(3)],
}
AROUND: dict[str, Callable[[str], str]] = {
    "code": lambda row: f"`{row}`",
    "bold": lambda row: f"**{row}**",
    "italic": lambda row: f"*{row}*",
    "quotes": lambda row: f'"{row}"',
    "list": lambda row: f"- `{row}`",
}
BEHIND = {"tick": "`", "stars": "**", "comma": ",", "full stop": "."}


def read_text(text: str, folder: Path) -> tuple[list[tuple[bytes, bytes]], list[dict[str, Any]]]:
    """Records and damage."""
    path = folder / "pasted.txt"
    path.write_text(text)
    plan = plan_inputs([InputFile(path.name, str(path), path.stat().st_size)], {}, None, folder / "prints")
    plan = joined(plan, lambda work_of, due: [work_of(group) for group in due])
    chunks = [chunk for split in plan.splits for chunk in read_split(split)]
    records = [row for chunk in chunks if chunk.records is not None for row in chunk.records.to_pylist()]
    damage = [row for chunk in chunks if chunk.damage is not None for row in chunk.damage.to_pylist()]
    return [(row["key"], row["value"]) for row in records], damage


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("layout", ROWS)
def test_a_row_between_marks_is_the_same_row(layout: str, around: str, tmp_path: Path) -> None:
    first, second, third = ROWS[layout]
    plain, _ = read_text("\n".join(ROWS[layout]) + "\n", tmp_path)
    assert read_text("\n".join([first, AROUND[around](second), third]) + "\n", tmp_path) == (plain, [])


@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.parametrize("layout", ["offsets", "transactions", "ksql", "mirror"])
def test_what_stands_behind_a_row_takes_no_other_row_away(layout: str, behind: str, tmp_path: Path) -> None:
    first, second, third = ROWS[layout]
    plain, _ = read_text("\n".join(ROWS[layout]) + "\n", tmp_path)
    assert read_text(f"Seen:\n```\n{first}\n{second}{BEHIND[behind]}\n{third}\n```\n", tmp_path) == (
        plain,
        [],
    )


@pytest.mark.parametrize("layout", ["offsets", "transactions", "ksql"])
def test_a_row_that_is_cut_is_damage_and_leaves_the_next_one_whole(layout: str, tmp_path: Path) -> None:
    first, second, third = ROWS[layout]
    plain, _ = read_text("\n".join(ROWS[layout]) + "\n", tmp_path)
    records, damage = read_text("\n".join([first, second[:48], third]) + "\n", tmp_path)
    assert records == [plain[0], plain[2]]
    assert [row["reason"] for row in damage] == ["bad_line"]


def test_marks_within_the_beginning_go_in_pairs_and_broken_lines_are_joined(tmp_path: Path) -> None:
    plain, _ = read_text("\n".join(ROWS["offsets"]) + "\n", tmp_path)
    marked = [
        row.replace("]::", "]:`:").replace("metadata=,", "metadata=`,\n").replace("\n ", "\n")
        for row in ROWS["offsets"]
    ]
    assert read_text("The commits:\n\n" + "\n".join(marked) + "\nAs you see, all is well.\n", tmp_path) == (
        plain,
        [],
    )


def test_the_other_half_of_a_pair_may_stand_in_the_next_line(tmp_path: Path) -> None:
    plain, _ = read_text("\n".join(ROWS["offsets"]) + "\n", tmp_path)
    marked = [
        row.replace("]::", "]:`:")
        .replace("leader", "\nleader")
        .replace(", \n", ",\n")
        .replace("data=", "data=`")
        for row in ROWS["offsets"]
    ]
    assert read_text("The commits:\n\n" + "\n".join(marked) + "\n", tmp_path) == (plain, [])


def test_a_backtick_in_a_value_stays() -> None:
    row = b"CreateTime:1709000000000\tPartition:0\tOffset:0\tk\tuse `x`"
    assert sorted_text(b"Look:\n```\n" + row + b"\n```\n").prints == [row]


def test_a_row_beside_its_print_that_cannot_be_read_is_damage(tmp_path: Path) -> None:
    lost = "| offset: 1 CreateTime: 1709000000000 keySize: x"
    batch = (
        "baseOffset: %d lastOffset: %d count: 1 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 "
        "partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty position: %d "
        "CreateTime: 1709000000000 size: 70 magic: 2 compresscodec: none crc: 1 isvalid: true\n"
        "| offset: %d CreateTime: 1709000000000 keySize: 1 valueSize: 1 sequence: -1 headerKeys: [] key: k payload: v\n"
    )
    text = "```\nDumping /d/orders-0/00000000000000000000.log\n" + batch % (0, 0, 0, 0) + f"```\n\n{lost}\n"
    records, damage = read_text(text, tmp_path)
    assert len(records) == 1
    assert [(row["position"], row["size_bytes"]) for row in damage] == [(text.index(lost), len(lost) + 1)]
    assert lost in damage[0]["detail"]


def test_a_string_of_an_open_document_keeps_its_quotation_marks() -> None:
    document = b'{\n  "lines": [\n    "CreateTime:1709000000000\tPartition:0\tOffset:0\tv"\n  ]\n}'
    assert sorted_text(b"Look:\n```\n" + document + b"\n```\n").prints == [document]


@pytest.mark.parametrize(
    "line",
    [
        "The batch says `baseOffset: 0 lastOffset: 5`, but count: 3.",
        "`| offset: 7 CreateTime: 1709000000000` is the line to look for.",
        "# How OffsetAndMetadata is printed",
        "[2024-02-27 02:13:20,000] INFO [GroupCoordinator 1]: Loading group billing (kafka.coordinator.group.GroupCoordinator)",
        "kafka-dump-log prints baseOffset and lastOffset of each batch...",
        "*CreateTime* is the default; see message.timestamp.type.",
        "**Topic:** orders, **Partition:** 0",
    ],
)
def test_prose_about_the_tool_is_no_record(line: str, tmp_path: Path) -> None:
    plain, _ = read_text("\n".join(ROWS["offsets"]) + "\n", tmp_path)
    text = f"{line}\n\n```\n" + "\n".join(ROWS["offsets"]) + f"\n```\n\n{line}\n"
    assert read_text(text, tmp_path) == (plain, [])


@pytest.mark.parametrize(
    ("line", "kind", "is_row"),
    [
        ("| offset: 1 CreateTime: 1709000000000 keyS", UNREAD, True),
        ("**[billing,orders,0]::OffsetAndMetadata(off", UNREAD, True),
        ("> 12: baseOffset: 4 lastOffset: 5 co", UNREAD, True),
        ("my note: | offset: 1 CreateTime: 1709000000000 keyS", UNREAD, False),
        ("The line `| offset: 1 CreateTime: 1709000000000` is odd", QUOTE, False),
        ("Offsets are odd", TEXT, False),
    ],
)
def test_a_line_set_aside_is_a_row_only_if_it_begins_as_one(line: str, kind: str, is_row: bool) -> None:
    aside = Aside(UploadLine(1, 0, len(line), line.encode()), TEXT)
    assert (aside.kind_by_marks, aside.is_row) == (kind, is_row)


@pytest.mark.parametrize("layout", ["offsets", "transactions"])
def test_a_row_in_backticks_below_the_fence_that_has_the_rows_is_quoted(layout: str, tmp_path: Path) -> None:
    *rows, quoted = ROWS[layout]
    fenced = "\n".join(["```", *rows, "```"])
    alone, _ = read_text(f"{fenced}\n", tmp_path)
    records, damage = read_text(f"{fenced}\n\n`{quoted}`\n\nThe last one is what matters.\n", tmp_path)
    assert (records, damage) == (alone, [])
    assert len(records) == len(rows)
