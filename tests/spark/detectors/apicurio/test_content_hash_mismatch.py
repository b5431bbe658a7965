"""Bytes that are not those of the key's hash; the two forms that are."""

from __future__ import annotations

from spark.detectors.apicurio.content_hash_mismatch import MANY, detector
from tests.spark.apicurio_stories import REFERENCES, UPDATE, Story, sha256


def wrong(story: Story, content_id: int = 1) -> Story:
    return story.content(content_id, b"%d" % content_id, content_hash=f"{content_id:064x}")


def test_bytes_with_another_hash() -> None:
    (finding,) = wrong(Story().content(7, b"seven")).findings(detector)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("high", 1, 1)
    assert "Content 1 at offset 1" in finding.title
    assert finding.entities >= {f"content:_/{1:064x}", "damage:1"}


def test_both_forms_of_the_hash_are_right() -> None:
    story = Story().content(1, b"a", REFERENCES).content(2, b"b", REFERENCES, content_hash=sha256(b"b"))
    assert story.content_v2(3, b"c", REFERENCES).findings(detector) == []


def test_an_update_without_content_has_no_bytes_to_hash() -> None:
    assert Story().content(1, action=UPDATE, empty=True).findings(detector) == []


def test_copies_of_a_content_are_one_finding() -> None:
    (finding,) = wrong(wrong(Story())).findings(detector)
    assert finding.evidence == [0, 1]


def test_few_are_told_one_by_one_and_many_at_once() -> None:
    for count, findings in ((MANY, MANY), (MANY + 1, 1)):
        story = Story()
        for number in range(count):
            wrong(story, number)
        assert len(story.findings(detector)) == findings


def test_a_dump_that_bends_bytes_cannot_tell() -> None:
    assert "exact-bytes" in detector.needs
