"""Names of the data, some of them words of our own, in no text of a share: journals whose names are exchanged give reports
with the same literals, and what the share says instead of the names tells none of them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from spark.redaction import Options, Selection, redact
from spark.terms.table_phrases import is_phrase
from tests.generator import remote_log as remote
from tests.generator import share_state as share
from tests.generator import streams
from tests.generator.segment import SOME_TIME_MS, Record, segment, segment_name
from tests.spark.literals import foreign_words, literals, values
from tests.spark.log_folders import inputs
from tests.spark.whole_pipeline import report_on

pytestmark = pytest.mark.integration
PSEUDONYM = re.compile(r"\b[a-z-]+-(?=[0-9a-f]{12})")  # the role before it is a word of ours
PLAIN = {"offset", "number", "time", "step", "item"}
ROLES = (
    "topic", "subject", "other", "member", "secret", "connector", "worker", "key", "folder", "group", "artifact", "value",
)  # fmt: skip
RANDOM = dict(zip(ROLES, (f"zq7{role}xk" for role in ROLES), strict=True))
OURS = dict(
    zip(
        ROLES,
        ("offset", "content", "registry", "record", "compaction", "connectors", "journal", "batch", "segment", "topics", "version", "lost"),
        strict=True,
    )
)  # fmt: skip


@dataclass(frozen=True)
class Made:
    """A report and the share of it that hides everything."""

    names: dict[str, str]
    report: dict[str, Any]
    shared: dict[str, Any]


def compact(members: Any) -> bytes:
    return json.dumps(members, separators=(",", ":")).encode()


def schemas(names: dict[str, str]) -> list[Record]:
    """Ids used twice, a reference that leads nowhere, an overwritten version, a value that cannot be read, a delete of nothing."""
    subject, other = names["subject"], names["other"]

    def key(version: int, of: str = subject) -> bytes:
        return compact({"keytype": "SCHEMA", "subject": of, "version": version, "magic": 1})

    def value(version: int, id: int, text: str, of: str = subject, **more: Any) -> bytes:
        return compact(
            {"subject": of, "version": version, "id": id, "schema": text, "deleted": False, **more}
        )

    missing = [{"name": other, "subject": names["group"], "version": 7}]
    return [
        Record(key(1), value(1, 1, f'{{"type":"string","doc":"{names["member"]}"}}')),
        Record(key(1, other), value(1, 1, '"int"', other)),
        Record(key(1), value(1, 9, '"long"')),
        Record(key(5), value(5, 3, '"bytes"', references=missing)),
        Record(key(6), b'{"subject": "' + names["value"].encode()),
        Record(compact({"subject": subject, "version": 1, "magic": 1, "keytype": "SCHEMA"}), None),
        Record(key(4, names["artifact"]), None),
        Record(None, names["value"].encode()),
    ]


def plain(names: dict[str, str]) -> list[Record]:
    """Keys that come back, a record without a key, a secret."""
    keys = [f"{names['key']}-{n % 3}".encode() for n in range(12)]
    return [
        *(Record(key, f"{names['value']} {n}".encode()) for n, key in enumerate(keys)),
        Record(
            names["key"].encode(), compact({"password": names["secret"], names["member"]: names["value"]})
        ),
        Record(None, names["value"].encode()),
        Record(names["key"].encode(), None),
    ]


def connect(names: dict[str, str]) -> list[Record]:
    """A connector without its tasks, one of them failed, with a secret in its config."""
    trace = {
        "state": "FAILED",
        "trace": f"java.lang.Error: {names['value']}",
        "worker_id": names["worker"],
        "generation": 1,
    }
    config = {"properties": {"name": names["connector"], "connection.password": names["secret"]}}
    connector = names["connector"]
    return [
        Record(f"connector-{connector}".encode(), compact(config)),
        Record(f"task-{connector}-0".encode(), compact(config)),
        Record(f"commit-{connector}".encode(), b'{"tasks":3}'),
        Record(f"status-task-{connector}-0".encode(), compact(trace)),
    ]


def apicurio(names: dict[str, str]) -> list[Record]:
    """A content that an UPDATE empties, an artifact that needs it, and an artifact whose content is not there."""
    from tests.spark.examples.apicurio import apicurio as entry

    name = f"{names['group']}/{names['artifact']}"
    rows = [
        {"offset": "0", "entry": "Bootstrap"},
        {"offset": "1", "entry": "Content 4 CREATE"},
        {"offset": "2", "entry": f"Artifact `{name}` CREATE", "needs": "content 4", "globalId": "4"},
        {"offset": "3", "entry": f"Artifact `{name}2` CREATE", "needs": "content 9", "globalId": "9"},
        {"offset": "4", "entry": "Bootstrap"},
        {"offset": "5", "entry": "Content 4 UPDATE", "content": "nothing"},
    ]
    return [Record(key, value) for key, value, _ in map(entry, rows)]


def shares(names: dict[str, str]) -> list[Record]:
    """A share group whose epoch goes back."""
    group = names["group"]
    return [share.snapshot(4, group=group), share.update(4, group=group), share.snapshot(2, group=group)]


def remote_segments(names: dict[str, str]) -> list[Record]:
    """A segment without its start, a deletion without an end."""
    topic, later = names["topic"], SOME_TIME_MS + 7_200_000
    return [
        remote.started("a", topic=topic),
        remote.update(remote.COPY_FINISHED, "a", topic=topic),
        remote.update(remote.DELETE_STARTED, "a", topic=topic),
        remote.update(remote.COPY_FINISHED, "b", topic=topic),
        remote.started("c", topic=topic, timestamp_ms=later),
    ]


def windows(names: dict[str, str]) -> list[Record]:
    """Windows, one of them deleted."""
    key = names["key"].encode()
    return [streams.window(key), streams.window(b"b"), streams.window(key, value=None)]


def made(names: dict[str, str], folder: Path) -> Made:
    """All journals of these names, one with a rotten byte and a cut end, inspected and shared."""
    topics = {
        "_schemas": schemas,
        names["topic"]: plain,
        "connect-configs": connect,
        "kafkasql-journal": apicurio,
        "__share_group_state": shares,
        "__remote_log_metadata": remote_segments,
        f"{names['group']}-{names['topic']}-changelog": windows,
    }
    for topic, records in topics.items():
        home = folder / "input" / names["folder"] / f"{topic}-0"
        home.mkdir(parents=True)
        data = bytearray(segment(records(names), records_per_batch=3))
        if topic == names["topic"]:
            data[data.index(f"{names['value']} 7".encode())] ^= 1
            data = data[:-20]
        (home / segment_name(0)).write_bytes(data)
    report = report_on(inputs(folder / "input"), folder / "results")
    (folder / "results/report.json").write_text(json.dumps(report))
    shared = redact(folder / "results", folder / "share", Options(b"salt", names=False), Selection())
    return Made(names, report, shared)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> list[Made]:
    """The same journals under random names and under words of our own."""
    return [made(names, tmp_path_factory.mktemp("named")) for names in (RANDOM, OURS)]


def test_something_is_found_that_names_things(both: list[Made]) -> None:
    for one in both:
        assert len({finding["detector"] for finding in one.report["findings"]}) >= 11
        assert {"topic", "entity", "name", "quote"} <= {kind for kind, _ in values(one.report)}


def test_no_literal_has_a_word_that_no_constant_has(both: list[Made]) -> None:
    assert foreign_words(both[0].report) == set()


def test_names_change_no_literal(both: list[Made]) -> None:
    random, ours = (sorted(set(literals(one.report))) for one in both)
    assert random == ours


def test_a_share_says_the_same_literals(both: list[Made]) -> None:
    for one in both:
        assert set(literals(one.shared)) == set(literals(one.report))


def test_no_value_of_a_share_tells_a_name(both: list[Made]) -> None:
    for one in both:
        hidden = {
            PSEUDONYM.sub("", text)
            for kind, text in values(one.shared)
            if kind not in PLAIN and not is_phrase(text)
        }
        assert hidden
        assert [text for text in hidden for name in one.names.values() if name in text] == []


def test_random_names_are_nowhere_in_a_share(
    both: list[Made], tmp_path_factory: pytest.TempPathFactory
) -> None:
    written = json.dumps(both[0].shared).casefold()
    assert [name for name in RANDOM.values() if name in written] == []


def test_one_name_has_one_pseudonym(both: list[Made]) -> None:
    """In titles, effects and entities alike."""
    shared = both[0].shared
    effects = {effect["entity_id"] for finding in shared["findings"] for effect in finding["effects"]}
    named = {text for kind, text in values(shared) if kind == "entity"}
    parts = {part for text in named for part in text.split("/")}
    of_effects = {part for text in effects for part in text.split("/")}
    assert effects
    assert len(of_effects & parts) >= 2
