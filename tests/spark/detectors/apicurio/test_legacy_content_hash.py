"""Hashes without the references."""

from __future__ import annotations

from spark.detectors.apicurio.legacy_content_hash import detector
from spark.terms.marked import plain
from tests.spark.apicurio_stories import REFERENCES, Story, sha256


def test_contents_of_the_old_form_are_one_remark() -> None:
    story = Story().content(1, b"a", REFERENCES, content_hash=sha256(b"a"))
    story.content(2, b"b", REFERENCES, content_hash=sha256(b"b"))
    (finding,) = story.findings(detector)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("info", 0, 1)
    assert "2 content items" in finding.title
    assert "content 1 (offset 0) and content 2 (offset 1)" in finding.explanation
    assert plain(detector.headline([finding])) == "content with references has hashes as written before 2.4.2"


def test_without_references_both_forms_are_one() -> None:
    assert Story().content(1).content(2, b"b", REFERENCES).findings(detector) == []
