"""No call shows more than the start of the server allows: not by arguments, errors, paths, sentences or names."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.generator.apicurio import incident
from tests.workers.management.assistants.client import McpClient, mcp_client, text_of
from tests.workers.management.assistants.conftest import SECRET_LINE

JOURNALS = (incident(2, "at_risk"), incident(2, "lost"))
RECORDS = [entry.record for journal in JOURNALS for entry in journal.stored]


def calls(client: McpClient) -> list[tuple[str, dict[str, Any]]]:
    """Calls of every kind, right ones and wrong ones."""
    some: list[tuple[str, dict[str, Any]]] = []
    for name in ("at-risk.json", "lost.json"):
        findings = client.ask("inspect", input=name)["findings"]
        some += [("inspect", {"input": name}), ("report", {"input": name})]
        some += [("finding", {"input": name, "id": finding["id"]}) for finding in findings]
        some += [("state", {"input": name}), ("state", {"input": name, "view": "after-full-compaction"})]
        some += [("record", {"input": name, "offset": entry.offset}) for entry in JOURNALS[0].stored[:20]]
        some += [("record", {"input": name, "offset": offset}) for offset in range(60, 81)]
        some += [("repair_plan", {"input": name}), ("compare", {"input": name})]
        some += [("finding", {"input": name, "id": "none"}), ("record", {"input": name, "offset": 2**60})]
    some += [
        ("compare", {"input": "at-risk.json", "other": "lost.json"}),
        ("compare", {"input": "lost.json", "other": "at-risk.json"}),
        ("repair_plan", {"input": "lost.json", "older": ["at-risk.json"]}),
        ("repair_plan", {"input": "lost.json", "topic": "another-topic"}),
        ("inspect", {"input": "notes.txt"}),
        ("inspect", {"input": "table.csv"}),
        ("compare", {"input": "at-risk.json", "other": "notes.txt"}),
        ("repair_plan", {"input": "lost.json", "older": ["table.csv"]}),
    ]
    return some


@cache
def answers(client: McpClient) -> str:
    return "\n".join(text_of(client.call(tool, **arguments)) for tool, arguments in calls(client))


def payload_words() -> set[str]:
    """Long words of values that stand in no key: names in keys are names."""
    keys = b"\n".join(record.key or b"" for record in RECORDS)
    words: set[str] = set()
    for record in RECORDS:
        text = (record.value or b"").decode("utf-8", "replace")
        words |= {word for word in text.replace('"', " ").split() if len(word) > 11 and word.isalpha()}
    return {word for word in words if word.encode() not in keys}


def names() -> set[str]:
    """Ids of artifacts and groups in keys."""
    members: set[str] = set()
    for record in RECORDS:
        try:
            key = json.loads((record.key or b"")[1:])
        except ValueError:
            continue
        members |= {str(key[name]) for name in ("artifactId", "groupId") if key.get(name)}
    return {name for name in members if len(name) > 5}


@pytest.mark.slow
def test_no_answer_quotes_what_is_hidden(hiding: McpClient, showing: McpClient) -> None:
    words = payload_words()
    assert len(words) > 5
    text = answers(hiding)
    assert [word for word in words if word in text] == []
    assert "tulip-4711" not in text
    assert "anna.berg" not in text
    visible = answers(showing)
    assert any(word in visible for word in words)


@pytest.mark.slow
def test_no_answer_names_what_is_hidden_with_its_names(closed: McpClient, hiding: McpClient) -> None:
    named = names() | {JOURNALS[0].topic}
    assert len(named) > 3
    text = answers(closed)
    assert [name for name in named if name in text] == []
    assert any(name in answers(hiding) for name in named)


@pytest.mark.slow
@pytest.mark.parametrize(
    "argument",
    [
        {"show": "payloads"},
        {"payloads": True},
        {"options": {"payloads": True}},
        {"hidden": []},
        {"salt": "0"},
    ],
)
def test_no_argument_widens_the_masks(hiding: McpClient, argument: dict[str, Any]) -> None:
    for tool in hiding.tools():
        arguments = {"input": "at-risk.json", "offset": 1, "id": "x"}
        arguments = {
            name: value for name, value in arguments.items() if name in tool.inputSchema["properties"]
        }
        assert "Additional properties are not allowed" in hiding.refusal(tool.name, **arguments, **argument)


@pytest.mark.slow
def test_built_in_masks_stay_whatever_is_shown(tmp_path: Path) -> None:
    rows = [
        {"topic": "t", "partition": 0, "offset": n, "key": f"k{n}", "payload": json.dumps({"password": "tulip-4711", "iban": "DE12", "free": "yes"})}
        for n in range(3)
    ]  # fmt: skip
    (tmp_path / "dump.json").write_text("\n".join(map(json.dumps, rows)))
    shown = ("--show", "payloads", "--show", "keys", "--show", "headers")
    with mcp_client("--allow", tmp_path, *shown, "--mask-field", "**.iban") as client:
        (record,) = client.ask("record", input="dump.json", offset=1)["records"]
        text = text_of(client.call("state", input="dump.json")) + json.dumps(record)
    assert json.loads(record["value"])["free"] == "yes"
    assert "tulip-4711" not in text
    assert "DE12" not in text


@pytest.mark.slow
def test_an_error_quotes_the_file_only_if_everything_is_shown(hiding: McpClient, showing: McpClient) -> None:
    for name in ("notes.txt", "table.csv"):
        sentence = hiding.refusal("inspect", input=name)
        assert sentence.startswith("This input cannot be read as a journal.")
        assert showing.refusal("inspect", input=name) != sentence
    assert SECRET_LINE not in showing.refusal("inspect", input="notes.txt")
