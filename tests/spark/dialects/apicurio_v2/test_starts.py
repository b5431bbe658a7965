"""What a start writes and holds, against every start of real registries that the corpus has."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from spark.dialects import ReleaseCannotStart, Started
from spark.dialects.apicurio_v2 import dialect
from spark.dialects.apicurio_v2.releases import release
from spark.dialects.apicurio_v2.starts import start
from tests.spark.apicurio_journals import CORPUS, corpus, decoded, json_record, records_of

Parts = tuple[bytes, bytes | None]
BOOTSTRAP, UPGRADER = 0, 18


@dataclass(frozen=True)
class Records:
    """Records as a log that a registry starts on."""

    parts: list[Parts]

    def __len__(self) -> int:
        return len(self.parts)

    def entries(self) -> Iterator[pa.Table]:
        yield dialect.interpret(records_of((at, *parts) for at, parts in enumerate(self.parts)))  # type: ignore[misc]

    def key(self, position: int) -> bytes:
        return self.parts[position][0]

    def value(self, position: int) -> bytes | None:
        return self.parts[position][1]


def parts_of(case: Path) -> list[Parts]:
    """Keys and values of a case's dump."""
    as_base64 = case / "kafkasql-journal.base64.ndjson"
    path = as_base64 if as_base64.exists() else case / "kafkasql-journal.kcat-J.ndjson"
    lines = [json.loads(line.decode("latin-1")) for line in path.read_bytes().splitlines() if line.strip()]
    read = decoded if as_base64.exists() else raw
    return [(read(line["key"]) or b"", read(line["payload"])) for line in lines]


def raw(text: str | None) -> bytes | None:
    """Bytes that kcat printed as they are."""
    return None if text is None else text.encode("latin-1")


def real_starts() -> list[tuple[str, int, str]]:
    """Case, position of the mark of its last start, release. Marks before it may have been copied without what the start
    wrote."""
    found = []
    for path in sorted(CORPUS.glob("*/*/kafkasql-journal.kcat-J.ndjson")):
        marks = [
            (position, "2.5.8" if key[0] == BOOTSTRAP else "2.6.13")
            for position, (key, value) in enumerate(parts_of(path.parent))
            if key[:1] == bytes([BOOTSTRAP])
            or (key[:1] == bytes([UPGRADER]) and b'"action":9' in (value or b""))
        ]
        found += [(f"{path.parent.parent.name}/{path.parent.name}", *mark) for mark in marks[-1:]]
    return found or [("absent", 0, "2.6.13")]


def shown(parts: Parts) -> tuple[Any, ...]:
    """What of a written record must be as predicted: ids of processes are drawn at random."""
    key, value = parts
    drawn = key[:1] in (bytes([BOOTSTRAP]), bytes([UPGRADER]))
    return (
        key[:1] if drawn else key,
        value is None,
        json.loads((value or b"..0")[1:]).get("action") if key[0] == 18 else None,
    )


@pytest.mark.parametrize(("case", "position", "version"), real_starts())
def test_a_real_start_writes_what_is_predicted(case: str, position: int, version: str) -> None:
    every = parts_of(corpus(*case.split("/")))
    predicted = [(one.record.key, one.record.value) for one in started(every[:position], version).writes]
    assert [shown(one) for one in predicted] == [
        shown(one) for one in every[position : position + len(predicted)]
    ]
    for (key, value), (_, real) in zip(predicted, every[position:], strict=False):
        if key[0] == 17:  # the hashes that the upgrade computes
            mine, theirs = json.loads((value or b"")[1:]), json.loads((real or b"")[1:])
            assert {name: mine[name] for name in theirs} == theirs


def repairs() -> list[str]:
    """The repaired journals whose start is recorded."""
    return sorted(path.name for path in CORPUS.glob("repairs-real/*-1-started")) or ["absent"]


@pytest.mark.parametrize("case", repairs())
def test_a_repaired_journal_gets_the_records_and_no_others(case: str) -> None:
    folder = corpus("repairs-real", case)
    every = parts_of(folder)
    before = json.loads((folder / "repair.json").read_text())["records_before_start"]
    assert len(started(every[:before], "2.6.13").writes) == len(every) - before


def started(parts: list[Parts], version: str) -> Started:
    """A start on these records."""
    return start(Records(parts), version)


def content(number: int, text: bytes = b"{}") -> Parts:
    """A Content CREATE record."""
    key = {"tenantId": "_", "contentHash": f"hash-{number}", "contentId": number}
    blocks = b"".join(len(part).to_bytes(4, "big") + part for part in (b"", text, b""))
    return json_record(2, key), bytes([2, 1]) + blocks


def artifact(name: str, number: int, action: int = 1, uuid: str = "") -> Parts:
    """An Artifact record."""
    key = {"tenantId": "_", "artifactId": name, "uuid": uuid or f"{name}-{number}"}
    value = {"action": action, "globalId": number, "contentHash": f"hash-{number}", "artifactType": "JSON"}
    return json_record(3, key), json_record(3, value)


def nulls(parts: list[Parts]) -> list[bytes]:
    """Keys that a start of 2.6.13 writes null records under."""
    return [one.record.key for one in started(parts, "2.6.13").writes if one.record.value is None]


def test_a_create_of_what_is_there_gets_a_null_record_under_its_own_key() -> None:
    copy = artifact("a", 1)
    assert nulls([content(1), copy, copy]) == [copy[0]]


def test_an_update_without_its_artifact_gets_one() -> None:
    update = artifact("a", 1, action=2)
    assert nulls([content(1), update]) == [update[0]]


def test_an_update_of_a_version_that_is_there_gets_none() -> None:
    assert nulls([content(1), artifact("a", 1), artifact("a", 1, action=2, uuid="again")]) == []


def test_a_create_without_its_content_gets_none() -> None:
    assert nulls([artifact("a", 1)]) == []


def test_a_delete_of_what_is_not_there_gets_one() -> None:
    delete = artifact("a", 1, action=3)
    assert nulls([delete]) == [delete[0]]


def test_from_2_5_9_on_a_delete_takes_the_contents_that_nothing_uses() -> None:
    journal = [
        content(1),
        artifact("a", 1),
        content(2),
        artifact("b", 2),
        artifact("b", 2, 3, "gone"),
        artifact("c", 2),
    ]
    assert ("artifact", "default/c") in started(journal, "2.5.8").state
    assert ("artifact", "default/c") not in started(journal, "2.6.13").state
    assert started(journal, "2.6.13").rejected[5] == "content-missing"


def test_2_5_8_does_not_start_behind_an_upgrade() -> None:
    with pytest.raises(ReleaseCannotStart, match="stops at the first Upgrader record"):
        started([(json_record(18, {"uuid": "compact"}), json_record(18, {"action": 9}))], "2.5.8")


def test_an_upgrade_is_done_once() -> None:
    journal = [content(1), artifact("a", 1)]
    first = started(journal, "2.6.13")
    again = started([*journal, *((one.record.key, one.record.value) for one in first.writes)], "2.6.13")
    assert [one.what for one in again.writes] == ["Upgrader BOOTSTRAP"]


@pytest.mark.parametrize("text", ["3.0.1", "1.3.2", "latest", "2.6", ""])
def test_a_release_that_does_not_read_the_journal_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"2\.6\.13"):
        release(text)


def test_releases_differ_where_their_sources_do() -> None:
    assert [release(text).family for text in ("2.0.3", "2.3.1", "2.5.8.Final", "2.5.9")] == [
        "2.0", "2.1", "2.4", "2.5.9",
    ]  # fmt: skip
    assert [release(text).empties_contents for text in ("2.1.2", "2.1.3", "2.5.8", "2.5.9")] == [
        False, True, True, False,
    ]  # fmt: skip


def test_the_corpus_is_read_the_same_in_both_layouts() -> None:
    folder = corpus("apicurio-real", "incident-a-1-at-risk")
    lines = (folder / "kafkasql-journal.base64.ndjson").read_text().splitlines()
    assert parts_of(folder)[0][0] == base64.b64decode(json.loads(lines[0])["key"])
