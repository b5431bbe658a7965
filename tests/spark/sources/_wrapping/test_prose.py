"""Text before and behind a print without a fence: set aside by the grammar. A torn row and the tool's own lines stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.sources._grammar.prose import may_be_json
from spark.stages.preview import preview
from tests.spark.sources._wrapping.sorted_texts import DUMPING, batch, kcat

THANKS = b"thanks, see OPS-4711, Bob\n"
DUMP = DUMPING + b"\n" + batch(0) + b"\n" + batch(1) + b"\n"
KCAT = kcat(0) + b"\n" + kcat(1) + b"\n"
EOF = b"% Reached end of topic orders [0] at offset 2\n"


def read(content: bytes, folder: Path) -> tuple[int, int, dict[str, int]]:
    """Records, damage, lines set aside."""
    document: dict[str, Any] = preview(content, "pasted.txt", folder, 20)
    parts = document["parts"]
    return (
        sum(part["records"] for part in parts),
        sum(part["damage"] for part in parts),
        document["set_aside"],
    )


@pytest.mark.parametrize(
    ("content", "set_aside"),
    [
        (DUMP + THANKS, {"text": 1}),
        (b"Hi all\n" + DUMP + b"\n" + THANKS, {"text": 2}),
        (DUMP + b"PS: it is urgent\n", {"text": 1}),
        (DUMP[:-1] + THANKS, {"text": 1}),
        (KCAT + THANKS, {"text": 1}),
        (b"Hi all,\n\n" + KCAT + b"\n" + THANKS, {"text": 2}),
        (EOF + KCAT + THANKS, {"program": 1, "text": 1}),
        (KCAT + EOF, {"program": 1}),
        (KCAT + b'the ticket is "OPS-4711", see "the wiki"\n', {"text": 1}),
        (KCAT[:-1] + THANKS, {"text": 1}),
    ],
    ids=["dump", "dump-both", "dump-ps", "dump-glued", "kcat", "kcat-both", "kcat-eof", "eof", "quotes", "kcat-glued"],
)  # fmt: skip
def test_prose_without_a_fence_is_set_aside(
    content: bytes, set_aside: dict[str, int], tmp_path: Path
) -> None:
    assert read(content, tmp_path) == (2, 0, set_aside)


@pytest.mark.parametrize(
    ("content", "records"),
    [
        (DUMP[:-60], 1),
        (DUMP[:-60] + b"\n" + THANKS, 1),
        (DUMP + b"baseOffs", 2),
        (DUMP + b"| off\n", 2),
        (DUMP + b"baseOffset: 2 lastOff\n" + THANKS, 2),
        (DUMP + b"Found 12 invalid bytes at the end of 00000000000000000000.log\n", 2),
        (KCAT[:-20], 1),
        (KCAT[:-20] + b"\n" + THANKS, 1),
        (KCAT + KCAT[-12:], 2),
        (KCAT + KCAT[-12:] + THANKS, 2),
        (KCAT + b"12345\n", 2),
    ],
    ids=["cut", "cut-prose", "begun", "bar", "begun-prose", "message", "torn", "torn-prose", "end", "end-prose", "number"],
)  # fmt: skip
def test_a_torn_row_or_a_message_of_the_tool_stays_damage(
    content: bytes, records: int, tmp_path: Path
) -> None:
    found = read(content, tmp_path)
    assert (found[0], found[2]) == (records, {})
    assert found[1] > 0


def test_a_first_line_without_its_beginning_is_named_as_unread(tmp_path: Path) -> None:
    assert read(KCAT[-12:] + KCAT, tmp_path) == (2, 0, {"unread": 1})


def test_a_line_within_the_printed_size_is_of_the_value(tmp_path: Path) -> None:
    content = DUMPING + b"\n" + batch(0) + b"\n" + batch(1, value=b"first\nthanks, Bob") + b"\n"
    assert read(content, tmp_path) == (2, 0, {})


def test_a_decoders_text_is_longer_than_its_size_and_stays_whole(tmp_path: Path) -> None:
    decoded = (line.replace(b"payload: v", b"payload: decoded to words") for line in (batch(0), batch(1)))
    assert read(DUMPING + b"\n" + b"\n".join(decoded) + b"\n", tmp_path)[2] == {}


@pytest.mark.parametrize(
    ("line", "may_be"),
    [
        (b'load":"v3"}', True),
        (b'v3"}', True),
        (b'"a":tru', True),
        (b'se,"b":"x', True),
        (b'\\"b\\":1}"}', True),
        (b"3}", True),
        (b'say "yes" twice', False),
        (b"thanks, Bob", False),
        (b'see "a", "b" and "c"', False),
    ],
)
def test_a_piece_of_json_is_told_from_prose(line: bytes, may_be: bool) -> None:
    assert may_be_json(line) == may_be
