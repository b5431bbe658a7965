"""Answers keep their bounds, and say what is cut and how to get the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.workers.management.assistants.client import mcp_client
from workers.management.assistants.bounds import AnswerBounds, bounded, length

BOUNDS = AnswerBounds(8_000, 10)


def test_pages_follow_each_other_without_a_gap() -> None:
    rows = [{"number": number, "text": "x" * 700} for number in range(30)]
    collected: list[dict[str, Any]] = []
    start: int | None = 0
    while start is not None:
        page, start = BOUNDS.page(rows, start)
        assert 1 <= len(page) <= 5
        collected += page
    assert collected == rows
    assert len(BOUNDS.page([{"n": n} for n in range(30)], 0)[0]) == 10
    assert len(BOUNDS.page([{"n": n} for n in range(30)], 0, 3)[0]) == 3
    assert BOUNDS.page(rows, 30) == ([], None)


@pytest.mark.parametrize("letter", ["x", '"', "\x01", "\u202e", "€"])
def test_pieces_of_a_text_are_the_text(letter: str) -> None:
    text, pieces = letter * 5_000, []
    start: int | None = 0
    while start is not None:
        piece, start = BOUNDS.piece(text, start)
        assert length(piece) <= 1_000
        pieces.append(piece)
    assert "".join(pieces) == text


@pytest.mark.parametrize(
    "document",
    [
        {"text": "x" * 100_000},
        {"rows": [{"text": "y" * 50} for _ in range(5_000)]},
        {f"name {number}" * 100: number for number in range(5_000)},
        {"deep": {"deeper": [[["z" * 300] * 60] * 60] * 60}},
    ],
)  # fmt: skip
def test_what_is_too_long_is_cut_and_says_so(document: dict[str, Any]) -> None:
    shorter = bounded(document, 8_000)
    assert length(shorter) <= 8_000
    assert "cut" in json.dumps(shorter)
    assert bounded({"a": 1}, 8_000) == {"a": 1}


@pytest.mark.slow
def test_no_answer_of_a_server_is_longer_than_it_may_be(tmp_path: Path) -> None:
    rows = [
        {"topic": "t", "partition": 0, "offset": n, "key": f"key {n}", "payload": "ab\u202e" * 9_000}
        for n in range(60)
    ]
    (tmp_path / "dump.json").write_text("\n".join(map(json.dumps, rows)))
    shown = ("--show", "payloads", "--show", "keys", "--max-characters", 8_000)
    with mcp_client("--allow", tmp_path, *shown) as client:
        (record,) = client.ask("record", input="dump.json", offset=7)["records"]
        value, start = record["value"], record["value_next_start"]
        while start is not None:
            document = client.ask("record", input="dump.json", offset=7, value_start=start)
            assert len(json.dumps(document, ensure_ascii=False)) <= 8_000
            (record,) = document["records"]
            value, start = value + record["value"], record["value_next_start"]
        assert value == "ab\\u202e" * 9_000
        page = client.ask("state", input="dump.json")
        assert len(json.dumps(page, ensure_ascii=False)) <= 8_000
        assert page["row_count"] == 60
        following = client.ask("state", input="dump.json", start=page["next_start"])
        assert following["rows"][0]["offset"] == page["rows"][-1]["offset"] + 1
        for tool in ("inspect", "report"):
            assert len(json.dumps(client.ask(tool, input="dump.json"))) <= 8_000
