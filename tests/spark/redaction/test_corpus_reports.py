"""Shares of reports on real journals, at every level of what they tell: the same sentences, commands whole, no name too many."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from spark.redaction import Options, Selection, redact
from spark.redaction.kafka_names import is_of_kafka, plain_folders
from spark.redaction.masking.masks import MASKED
from spark.redaction.shown_names import SMALL_NUMBER
from spark.redaction.typed_texts import NOUNS
from spark.terms.entity_words import FIXED_WORDS
from spark.terms.table_phrases import is_phrase
from tests.spark.corpus_inputs import Inspected, cases

PLAIN = {"offset", "number", "time", "step", "item"}  # what every share tells
NAMING = {"entity", "key", "name", "topic", "partition"}
OF_TOPICS = {"topic", "partition"}
OF_FOLDERS = {"replica", "file"}
IN_TURN = 4  # each input is shared at every fourth level, one beginning where another does not
FLAGS = ("payloads", "keys", "headers", "names")
LEVELS = [
    Options(b"salt", **dict(zip(FLAGS, told, strict=True))) for told in product((True, False), repeat=4)
]
UNKNOWN = "?"  # the topic of a dump that names none
Segment = dict[str, Any]
Pair = tuple[Segment, Segment]


def pairs(report: Any, share: Any) -> Iterator[Pair]:
    """Every segment of a report's typed texts with that of its share; both have the same texts in the same order."""
    if isinstance(report, dict) and "segments" in report:
        assert len(report["segments"]) == len(share["segments"])
        yield from of_line(zip(report["segments"], share["segments"], strict=True))
    elif isinstance(report, dict):
        for name, part in report.items():
            if name in share and name not in ("not_run", "commands"):  # untyped; less those of hidden names
                yield from pairs(part, share[name])
    elif isinstance(report, list) and share:
        assert len(report) == len(share)
        for one, other in zip(report, share, strict=True):
            yield from pairs(one, other)


def of_line(line: Any) -> Iterator[Pair]:
    """Those of a line and of the code in it."""
    for one, other in line:
        assert one.get("kind") == other.get("kind")
        if one.get("kind") == "code":
            yield from of_line(zip(one["segments"], other["segments"], strict=True))
        else:
            yield one, other


def name_of(segment: Segment) -> str:
    """What a value names, whatever the sentence calls it."""
    value = segment.get("value")
    return json.dumps(
        [segment["kind"], value[-1] if segment["kind"] == "entity" and value else segment["text"]]
    )


def is_told(segment: Segment, level: Options, own: set[str]) -> bool:
    """Whether a share of this level may say the value as it is. `own`: the topics of the input; others stand in records."""
    if segment["kind"] in PLAIN or segment["text"].startswith(UNKNOWN):
        return True
    if segment["kind"] == "quote" and is_phrase(segment["text"]):
        return True
    if segment["kind"] in OF_FOLDERS:
        is_plain = is_of_kafka(segment["text"]) or plain_folders(segment["text"]) == segment["text"]
        return (level.payloads and level.names) or is_plain
    named = str((segment.get("value") or [segment["text"]])[-1])
    if segment["kind"] in NAMING and all(map(SMALL_NUMBER.fullmatch, named.split("/"))):
        return True
    if segment["kind"] in NAMING and level.names:
        return True  # by the part that the name stands in: tests/webapp/sharing/test_decoded_members.py
    is_own = segment["kind"] in OF_TOPICS and (segment.get("value") or [segment["text"]])[0] in own
    return level.names if is_own else level.shows_all_names


def code_in(report: Any) -> Iterator[Segment]:
    if isinstance(report, dict):
        if report.get("kind") == "code":
            yield report
        report = list(report.values())
    if isinstance(report, list):
        for part in report:
            yield from code_in(part)


def refused_commands(report: Any, share: Any) -> list[str]:
    """Code of a share that says that a name is hidden in it, although it is as in the report."""
    written = {code["text"] for code in code_in(report)}
    return [code["text"] for code in code_in(share) if code.get("hides") and code["text"] in written]


@pytest.mark.parametrize(("folder", "names"), list(cases()))
def test_shares_of_real_journals_hide_names_and_nothing_else(
    folder: Path,
    names: list[str],
    tmp_path: Path,
    corpus_inspection: Callable[[Path, list[str]], Inspected],
) -> None:
    original = corpus_inspection(folder, names)
    report = original.report
    topics = {one["topic"] for one in report["journals"]}
    by_default = redact(original.results, tmp_path / "default", Options(b"salt"), Selection())
    assert refused_commands(report, by_default) == []
    turn = zlib.crc32(str(names).encode()) % IN_TURN
    for number, level in enumerate(LEVELS[turn::IN_TURN]):
        share = redact(original.results, tmp_path / f"share{number}", level, Selection())
        assert refused_commands(report, share) == []
        both = list(pairs(report, share))
        own_words = [(one["text"], other["text"]) for one, other in both if "kind" not in one]
        assert [one for one, other in own_words if other not in (one, *map(one.removesuffix, NOUNS))] == []
        valued = [(one, other) for one, other in both if "kind" in one]
        leaked = {
            one["text"]
            for one, other in valued
            if one["text"] == other["text"] and not is_told(one, level, topics)
        }
        assert leaked <= {"", "-", *FIXED_WORDS["rule"]}, (level, leaked)
        stands_for: dict[str, set[str]] = {}
        for one, other in valued:
            if one["kind"] not in PLAIN | {"quote", "url", "hash"}:
                stands_for.setdefault(name_of(one), set()).update({other["text"]} - {MASKED})
        assert {name: told for name, told in stands_for.items() if len(told) > 1} == {}
