"""Characters that would be obeyed are shown as escapes."""

from __future__ import annotations

import json

import pytest

from spark.report.report_text import plain_text
from spark.terms.marked import quote
from spark.terms.typed_text import with_typed
from spark.terms.typed_wording import steps
from spark.terms.visible import cut_middle, one_line, visible, visible_json

HOSTILE = {
    "colour": ("\x1b[31m", "\\x1b[31m"),
    "bell": ("\a", "\\x07"),
    "title of the window": ("\x1b]0;root\a", "\\x1b]0;root\\x07"),
    "control of 8 bits": ("\x9b2J", "\\x9b2J"),
    "back to the start": ("\r", "\\r"),
    "next line": ("\x85", "\\x85"),
    "line separator": ("\u2028", "\\u2028"),
    "right to left": ("\u202egpj", "\\u202egpj"),
    "isolate": ("\u2067a\u2069", "\\u2067a\\u2069"),
    "zero width": ("a\u200bb", "a\\u200bb"),
    "no UTF-8": ("a\udc80", "a\\udc80"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_a_terminal_would_obey_is_shown(name: str) -> None:
    raw, shown = HOSTILE[name]
    assert visible(f"before {raw} after") == f"before {shown} after"
    assert one_line(raw) == shown


def test_lines_of_our_own_stay_and_those_within_a_name_do_not() -> None:
    assert visible("a\n\tb") == "a\n\tb"
    assert one_line("a\n\tb") == "a\\n\\tb"


def test_words_of_every_script_stay() -> None:
    text = "schlüssel ключ キー مفتاح \N{GREEK SMALL LETTER ALPHA} 😀 – “”"
    assert visible(text) == text


def test_a_json_text_stays_the_same_document() -> None:
    document = {"a\x9b": ["\x1b[2J", "\u202e", "\x7f", "é\n"]}
    text = visible_json(json.dumps(document, ensure_ascii=False))
    assert json.loads(text) == document
    assert text.isprintable()


def test_data_of_records_cannot_write_lines_into_a_report() -> None:
    hostile = "key\nHEALTHY: nothing is wrong\x1b[2J\x85more\u2028and"
    finding = {
        "id": "1", "detector": "null-key", "severity": "high", "confidence": "proven", "title": quote(hostile),
        "explanation": f"First.\n{quote(hostile)}", "remedy": steps(["Stop.", "Start."]), "topic": hostile, "partition": 0, "evidence": [1], "consequence_of": None, "incident": "1",
    }  # fmt: skip
    coverage = {
        "records": 1, "unreadable_bytes": 0, "isolation": "read_uncommitted", "records_per_partition": {hostile: 1},
        "offsets_per_partition": {hostile: [0, 1]}, "cannot_tell": [hostile],
    }  # fmt: skip
    verdict = {"level": "high", "sentence": hostile}
    report = {
        "verdict": verdict,
        "findings": [with_typed(finding, "title", "explanation", "remedy")],
        "coverage": coverage,
        "files": [],
        "incidents": [{"id": "1", "severity": "high", "title": hostile, "findings": ["1"], "plan": []}],
        "not_run": [],
        "unrun_checks": {},
    }
    lines = plain_text(report).split("\n")
    assert not any(line.strip().startswith("HEALTHY") for line in lines)
    assert "".join(lines).isprintable()
    assert "  2. Start." in "\n".join(lines)


def test_a_long_name_is_cut_in_its_middle() -> None:
    name = "server-7-data-default-abc"
    assert cut_middle(name, 25) == name
    assert cut_middle(name, 24) == "server-7-dat…default-abc"
    assert len(cut_middle(name, 11)) == 11
