"""Content and canonical hashes against those that real registries wrote."""

from __future__ import annotations

import json
import random
import time
import zipfile
from typing import Any

import pytest

from spark.dialects.apicurio_v2.hashes import hash_forms, sha256
from spark.dialects.apicurio_v2.interpret import interpret
from tests.spark.apicurio_journals import corpus, real_cases, real_journal
from tests.spark.apicurio_stories import REFERENCES, UPDATE, Story

AVRO_WITH_TYPES_ELSEWHERE = "the schema may have been printed with what it refers to"


def test_the_two_forms_of_a_content_hash() -> None:
    assert hash_forms(b"a", REFERENCES, sha256(b"a" + REFERENCES), None)["contentHashForm"] == "current"
    assert hash_forms(b"a", REFERENCES, sha256(b"a"), None)["contentHashForm"] == "legacy"
    assert hash_forms(b"a", b"", sha256(b"a"), None)["contentHashForm"] == "current"
    assert hash_forms(b"a", REFERENCES, sha256(b"b"), None)["contentHashForm"] == "mismatch"


@pytest.mark.parametrize(
    ("stored", "form"),
    [(b'{"a":2}' + REFERENCES, "current"), (b'{"a":2}', "legacy"), (b"else", "other")],
    ids=["current", "legacy", "neither"],
)
def test_the_two_forms_of_a_canonical_hash(stored: bytes, form: str) -> None:
    assert hash_forms(b'{ "a": 2 }', REFERENCES, None, sha256(stored))["canonicalHashForm"] == form


def test_a_hash_that_is_not_there_is_no_mismatch() -> None:
    found = hash_forms(b"{}", b"", sha256(b"{}"), None)
    assert (found["canonicalHashForm"], found["canonicalHashWhy"]) == (None, "no canonical hash is stored")


@pytest.mark.parametrize(
    "content",
    [b"type Query { a: String }", b"<a", b"", b"\xff\xfe", b"{", b'["x"', b"message {", b"/* open", b'"' * 50],
)  # fmt: skip
def test_what_cannot_be_read_is_left_open_with_the_reason(content: bytes) -> None:
    found = hash_forms(content, b"", sha256(content), sha256(b"else"))
    assert found["canonicalHashForm"] is None
    assert found["canonicalHashWhy"]
    raw = hash_forms(content, b"", sha256(content), sha256(content))
    assert raw["canonicalHashForm"] == "current"


@pytest.mark.parametrize(
    ("depth", "family"), [(400, "JSON"), (900, "JSON"), (100_000, "JSON"), (5_000, "messages")]
)
def test_deep_nesting_is_left_open_or_read_and_never_raises(depth: int, family: str) -> None:
    opening, closing = (b"[", b"]") if family == "JSON" else (b"message A {", b"}")
    assert hash_forms(opening * depth + closing * depth, b"", "x", "y")["contentHashForm"] == "mismatch"


@pytest.mark.parametrize("content", [b'{"type":["string","null"]}', b'{"type":{"type":"string"}}'])
def test_a_type_that_is_no_word_is_read_as_json(content: bytes) -> None:
    assert hash_forms(content, b"", "x", "y")["canonicalHashOf"] == "JSON"


def test_a_large_document_deep_inside_others_is_read_in_one_pass() -> None:
    members = b",".join(b'"p%d":1.5' % number for number in range(20_000))
    content = b'{"a":' * 300 + b"{" + members + b"}" + b"}" * 300
    begun = time.process_time()
    assert hash_forms(content, b"", "x", "y")["contentHashForm"] == "mismatch"
    assert time.process_time() - begun < 5  # seconds; a copy at each level takes ten times as long


def test_no_bytes_make_it_raise() -> None:
    chance = random.Random(7)
    seeds = [b'{"type":"record","name":"A","fields":[{"name":"b","type":["null","C"],"default":1.5}]}',
             b'syntax = "proto3";\nmessage A { oneof b { string c = 1 [d = "e"]; } reserved 1 to 3; }',
             b'<a xmlns:b="c"><b:d e="f">g</b:d><?h i?></a>']  # fmt: skip
    for _ in range(3000):
        content = bytearray(chance.choice(seeds))
        for _ in range(chance.randint(1, 4)):
            content[chance.randrange(len(content))] = chance.randrange(256)
        if chance.random() < 0.3:
            del content[chance.randrange(len(content)) :]
        assert hash_forms(bytes(content), REFERENCES, "x", "y")["contentHashForm"] == "mismatch"


def test_entries_say_which_form_their_hashes_have() -> None:
    story = Story().content(1, b"{}").content_v2(2, b"{}").content(3, action=UPDATE, empty=True)
    members = [json.loads(text) for text in interpret(story.records()).column("attributes").to_pylist()]
    assert [m.get("contentHashForm") for m in members] == ["current", "current", None]
    assert [m.get("canonicalHashForm") for m in members] == ["current", "current", None]


def test_an_export_of_a_real_registry() -> None:
    archive = zipfile.ZipFile(corpus("apicurio", "v2_export.zip"))
    names = [name for name in archive.namelist() if name.endswith(".Content.json")]
    forms = [exported(archive, name) for name in names]
    assert len(names) > 20
    assert {form["contentHashForm"] for form in forms} == {"current"}
    untold = [form for form in forms if form["canonicalHashForm"] != "current"]
    assert {form["canonicalHashWhy"] for form in untold} <= {AVRO_WITH_TYPES_ELSEWHERE}
    assert len(untold) == 4


def exported(archive: zipfile.ZipFile, name: str) -> dict[str, Any]:
    """The forms of one exported content."""
    told = json.loads(archive.read(name))
    content = archive.read(name.removesuffix("json") + "data")
    references = (told["serializedReferences"] or "").encode()
    return hash_forms(content, references, told["contentHash"], told["canonicalHash"])


@pytest.mark.parametrize("case", real_cases())
def test_real_journals_have_no_hash_that_is_not_explained(case: str) -> None:
    corpus("apicurio-real", case)
    told = [json.loads(text) for text in interpret(real_journal(case)).column("attributes").to_pylist()]
    contents = [members for members in told if members.get("has_content")]
    assert contents
    assert {m["contentHashForm"] for m in contents} <= {"current", "legacy"}
    others = [m.get("canonicalHashOf") for m in contents if m["canonicalHashForm"] == "other"]
    assert others == (["Protobuf before 2.4.0"] if case == "old-a-1-at-risk" else [])
    whys = {m["canonicalHashWhy"] for m in contents if m["canonicalHashForm"] is None}
    assert whys <= {AVRO_WITH_TYPES_ELSEWHERE}
