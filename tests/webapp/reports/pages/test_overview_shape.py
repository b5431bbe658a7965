"""The Overview has one shape for every kind of report: few words, one filled button, six steps at most, victims in a table."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from spark.pipeline import Limits, NoProgress, inspect
from spark.runtime.in_process import in_process
from tests.spark.examples.page import cases
from tests.spark.examples.run import inspected as inspected_example
from tests.spark.log_folders import inputs
from tests.spark.schema_journals import schema, tombstone

pytestmark = [pytest.mark.django_db, pytest.mark.integration]

ROOT = Path(__file__).resolve().parents[4]
KINDS = [
    ("content-null-update", 0),
    ("content-null-update", 1),
    ("schema-id-collision", 0),
    ("hanging-transaction", 0),
    ("late-transactional-write", 0),
    ("lost-abort-marker", 0),
    ("replica-divergence", 0),
    ("unreadable-bytes", 0),
    ("format-flapping", 0),
    ("offset-commit-regression", 0),
    ("connect-clusters-share-topics", 0),
    ("timestamp-unit", 0),
]
MAX_WORDS = 300
MAX_STEPS = 6
BLOCKS = {"p", "li", "td", "th", "dd", "dt", "h1", "h2", "h3", "h4", "summary", "details", "div", "section", "article", "a"}  # fmt: skip
UNSEEN = {"script", "style", "textarea", "option", "template", "dialog", "head"}
VOID = {"br", "hr", "img", "input", "link", "meta"}


class Shape(HTMLParser):
    """What a reader sees while every fold is closed (`seen`; a command is one line, cut at its end, and not read), all text of the
    page (`whole`), filled buttons, steps."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen, self.whole, self.buttons, self.steps = "", "", 0, 0
        self._open: list[
            tuple[str, bool, bool]
        ] = []  # tag; unseen; a closed fold, of which the summary alone is seen
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        given = dict(attrs)
        classes = set((given.get("class") or "").split())
        parent = self._open[-1] if self._open else ("", False, False)
        is_unseen = parent[1] or (parent[2] and tag != "summary")
        is_unseen |= tag in UNSEEN or "hidden" in given or bool(classes & {"visually-hidden", "term-text"})
        if not is_unseen:
            self.buttons += "btn-primary" in classes
            self.steps += tag == "li" and [name for name, *_ in self._open[-2:]] == ["div", "ol"]
        self._open.append((tag, is_unseen, tag == "details" and "open" not in given))
        self._divide(tag)

    def handle_endtag(self, tag: str) -> None:
        self._divide(tag)
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        tags = {tag for tag, *_ in self._open}
        if tags.isdisjoint({*UNSEEN, "td"}):
            self.whole += data
        is_seen = bool(self._open) and not any(self._open[-1][1:])
        if is_seen and "code" not in tags:
            self.seen += data

    def _divide(self, tag: str) -> None:
        if tag in BLOCKS:
            self.seen += "\n"
            self.whole += "\n"


@pytest.fixture(params=KINDS, ids=[f"{id} {number + 1}" for id, number in KINDS])
def overview(
    request: pytest.FixtureRequest, inspected: Any, get: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    """The Overview of the example on a detector's page."""
    id, number = request.param
    case = cases((ROOT / f"docs/detectors/{id}.md").read_text())[number]
    inspected_example(case, id, tmp_path, monkeypatch)
    inspection = inspected(
        lambda folder: Path(shutil.copytree(tmp_path / "results", folder, dirs_exist_ok=True))
    )
    return str(get(inspection, "report-overview").content.decode())


@pytest.mark.heavy
def test_every_kind_of_report_has_the_same_shape(overview: str) -> None:
    shape = Shape(overview)
    assert len(words(shape.seen)) <= MAX_WORDS, " ".join(words(shape.seen))
    assert shape.buttons <= 1
    assert shape.steps <= MAX_STEPS
    assert overview.count('<h1 class="incident-title"') == 1
    table = re.search(r'<table class="table table-sm victims">.*?</thead>', overview, re.DOTALL)
    assert table
    assert re.findall(r"<th scope=\"col\">(.*?)</th>", table[0])[:3] == ["Victim", "What happens", "Proof"]
    assert "offset" in overview
    assert twice(shape.whole) == []


def words(text: str) -> list[str]:
    """Words and numbers; signs alone do not count."""
    return re.findall(r"\S*\w\S*", text)


def twice(text: str) -> list[str]:
    """Sentences of six words or more that the page has more than once."""
    sentences = Counter(
        " ".join(sentence.split()).rstrip(".")
        for line in text.split("\n")
        for sentence in re.split(r"(?<=[.!?])\s+", line)
    )
    return [sentence for sentence, count in sentences.items() if count > 1 and len(sentence.split()) >= 6]


@pytest.mark.parametrize("overview", [("hanging-transaction", 0)], indirect=True)
def test_a_broker_incident_says_its_consequence_in_numbers(overview: str) -> None:
    assert re.search(r"<td[^>]*>\d+ records? hidden behind offset \d+</td>", overview)
    assert re.search(r"<h1[^>]*>.* stop at offset \d+, \d+ records? hidden: .*</h1>", overview)


@pytest.mark.parametrize("overview", [("content-null-update", 1)], indirect=True)
def test_a_lost_content_names_the_record_that_needs_it_and_the_one_that_emptied_it(overview: str) -> None:
    row = re.search(r'<table class="table table-sm victims">.*?</table>', overview, re.DOTALL)
    assert row
    text = " ".join(re.sub(r"<[^>]+>", "", row[0]).split())
    assert "default/error version 1 lost, needs content 2 8 needs it, 10 empties it" in text


def test_a_lost_version_is_told_with_the_id_that_names_another_schema(
    inspected: Any, get: Any, tmp_path: Path
) -> None:
    records = [
        schema("green", 1, 3, '"int"'),
        schema("blue", 1, 3, '"long"'),
        tombstone("blue", 1),
        tombstone("blue", 1),
    ]
    lines = [
        {
            "topic": "_schemas",
            "partition": 0,
            "offset": offset,
            "ts": offset,
            "key": key.decode(),
            "payload": value and value.decode(),
        }
        for offset, (key, value, *_) in enumerate(records)
    ]
    (tmp_path / "dump.json").write_text("\n".join(map(json.dumps, lines)))
    inspection = inspected(
        lambda folder: inspect(in_process, inputs(tmp_path), folder, NoProgress(), Limits()) and folder
    )
    overview = get(inspection, "report-overview").content.decode()
    (table,) = re.findall(r'<table class="table table-sm victims">.*?</table>', overview, re.DOTALL)
    text = " ".join(re.sub(r"<[^>]+>", "", table).split())
    assert text.endswith(
        "blue version 1 lost; ID 3 names another schema 0 of green, 1 rejected, 2 3 delete it"
    )
