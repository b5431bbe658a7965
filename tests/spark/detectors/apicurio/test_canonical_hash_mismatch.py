"""Canonical hashes the upgrader will not agree with, outdated ones, and what is left open."""

from __future__ import annotations

from spark.codecs.proto_file.parser import parsed
from spark.detectors.apicurio.canonical_hash_mismatch import detector
from spark.terms.marked import plain
from tests.spark.apicurio_journals import json_record
from tests.spark.apicurio_stories import REFERENCES, UPDATE, Story

PROTO = b'syntax = "proto3";\nmessage Invoice {\n  string id = 1;\n}\n'
ONEOF = b'syntax = "proto3";\nmessage M {\n  oneof way { string mail = 1; }\n  string note = 2;\n}\n'


def printed(content: bytes, oneofs_last: bool = False) -> bytes:
    file = parsed(content)
    assert file
    return file.text(oneofs_last)


def referring(story: Story) -> Story:
    return story.content(4, PROTO, REFERENCES, canonical=printed(PROTO) + REFERENCES)


def test_protobuf_with_references_will_be_rewritten() -> None:
    (finding,) = referring(Story().content(1, PROTO, canonical=printed(PROTO))).findings(detector)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("medium", 1, 1)
    assert "will get an UPDATE without content" in finding.title
    assert "Do not restart a registry of version 2.1.3 to 2.5.8" in finding.remedy
    assert "next start of version 2.5.8" in plain(detector.headline([finding]))


def test_the_form_without_references_is_what_the_upgrader_wants() -> None:
    assert Story().content(4, PROTO, REFERENCES, canonical=printed(PROTO)).findings(detector) == []


def test_what_an_empty_update_has_hit_is_told_by_that() -> None:
    story = referring(Story()).content(4, PROTO, REFERENCES, action=UPDATE, empty=True)
    assert story.findings(detector) == []


def test_a_journal_that_a_fixed_version_has_taken_over_is_safe() -> None:
    story = referring(Story()).record(json_record(18, {"uuid": "x"}), json_record(18, {"action": 9}))
    assert story.findings(detector) == []


def test_an_older_printing_is_named() -> None:
    (finding,) = Story().content(1, ONEOF, canonical=printed(ONEOF, oneofs_last=True)).findings(detector)
    assert "no current version computes" in finding.title
    assert "before 2.4.0" in finding.explanation


def test_a_hash_of_nothing_known_is_named_where_the_format_is_certain() -> None:
    (finding,) = Story().content(1, b'{"b": 1, "a": 2}', canonical=b"else").findings(detector)
    assert "No known version computes this hash" in finding.explanation


def test_it_stays_open_where_the_format_is_not_certain() -> None:
    story = Story().content(1, b"type Query { a: String }", canonical=b"else")
    story.content(2, b'{"type": "record", "name": "R", "fields": []}', REFERENCES, canonical=b"else")
    story.content(3, b"// why\n" + PROTO, canonical=b"else").content(4, b"<a/>", canonical=b"else")
    assert story.findings(detector) == []


def test_wrong_bytes_are_not_told_twice() -> None:
    story = Story().content(1, b'{"b": 1}', canonical=b"else", content_hash="0" * 64)
    assert story.findings(detector) == []


def test_healthy_contents_are_quiet() -> None:
    story = Story().content(1, b'{"b": 1, "a": 2}', canonical=b'{"a":2,"b":1}')
    assert story.content(2, PROTO, canonical=printed(PROTO)).findings(detector) == []
