"""Contents without users, where an older dump of the journal tells what became of the version: deleted, or lost."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from spark.pipeline import Limits, NoProgress, inspect
from spark.runtime.in_process import in_process
from spark.stages.older import OlderDump
from tests.spark.apicurio_journals import json_record
from tests.spark.apicurio_stories import Story
from tests.spark.log_folders import inputs
from tests.workers.commands import manage

pytestmark = pytest.mark.heavy

ORPHAN, GONE = "orphan-content", "gone-since-older-dump"


def alive() -> Story:
    """Artifacts a and b, with content 1 and 2."""
    begun = Story().content(1, b"one").global_id().artifact("a", b"one", 1)
    return begun.content(2, b"two").global_id().artifact("b", b"two", 2)


def after(story: Story) -> Story:
    """Another artifact at offsets 10 to 12."""
    story.next = 10
    return story.content(3, b"three").global_id().artifact("c", b"three", 3)


def without_b() -> Story:
    """The journal of which the record of b is gone, and the version of content 9 for another reason."""
    story = Story().content(1, b"one").global_id().artifact("a", b"one", 1).content(2, b"two").global_id()
    return after(story)


def written(story: Story, path: Path) -> Path:
    """The story as kcat prints it, keys and values in base64."""
    with path.open("w") as file:
        for row in story.rows:
            texts = {
                name: None if row[name] is None else base64.b64encode(row[name]).decode()
                for name in ("key", "value")
            }
            line = {"topic": story.topic, "partition": 0, "offset": row["offset"], "tstype": "create",
                    "ts": row["timestamp_ms"], "key": texts["key"], "payload": texts["value"]}  # fmt: skip
            file.write(json.dumps(line) + "\n")
    return path


def results(story: Story, folder: Path, *older: OlderDump) -> OlderDump:
    """The results of a dump, with those of older ones."""
    folder.mkdir()
    (folder / "input").mkdir()
    written(story, folder / "input" / "dump.ndjson")
    inspect(in_process, inputs(folder / "input"), folder / "out", NoProgress(), Limits(older=list(older)))  # type: ignore[arg-type,return-value]
    return OlderDump(folder.name, folder / "out")


def said(dump: OlderDump) -> dict[str, str]:
    """Severity of what it says of contents without users and of what an older dump holds."""
    report = json.loads((dump.results / "report.json").read_text())
    return {
        one["detector"]: one["severity"] for one in report["findings"] if one["detector"] in (ORPHAN, GONE)
    }


def test_a_version_that_an_older_dump_holds_and_nothing_deletes_is_lost(tmp_path: Path) -> None:
    older = results(alive(), tmp_path / "monday")
    newer = results(without_b(), tmp_path / "tuesday", older)
    assert said(newer) == {GONE: "critical", ORPHAN: "medium"}
    report = json.loads((newer.results / "report.json").read_text())
    (orphan,) = [one for one in report["findings"] if one["detector"] == ORPHAN]
    (gone,) = [one for one in report["findings"] if one["detector"] == GONE]
    assert orphan["title"].startswith("An artifact version is lost: no artifact record uses content 2")
    assert (
        "The older dump monday contains pay/b/1 with this content, and no record deletes it."
        in orphan["explanation"]
    )
    assert orphan["confidence"] == "proven"
    assert orphan["consequence_of"] == gone["id"]


@pytest.mark.parametrize("deletion", ["artifact", "version", "group", "everything"])
@pytest.mark.parametrize("where", ["older", "here"])
def test_a_version_that_was_deleted_is_not_lost(tmp_path: Path, deletion: str, where: str) -> None:
    def deleting(story: Story) -> Story:
        story.next = 8 if where == "older" else 14
        if deletion == "artifact":
            return story.delete_artifact("b")
        if deletion == "version":
            key = {"tenantId": "_", "groupId": "pay", "artifactId": "b", "version": "1"}
            return story.record(json_record(5, key), json_record(5, {"action": 3}))
        if deletion == "group":
            return story.record(
                json_record(6, {"tenantId": "_", "groupId": "pay"}),
                json_record(6, {"action": 3, "onlyArtifacts": True}),
            )
        return story.record(json_record(11, {"tenantId": "_", "uuid": "x"}), json_record(11, {"action": 7}))

    older = results(deleting(alive()) if where == "older" else alive(), tmp_path / "monday")
    newer = results(without_b() if where == "older" else deleting(without_b()), tmp_path / "tuesday", older)
    assert ORPHAN not in said(newer)
    if where == "here":
        assert GONE not in said(newer)


def test_what_was_created_again_after_its_deletion_is_lost(tmp_path: Path) -> None:
    again = alive().delete_artifact("b").global_id().artifact("b", b"two", 3)
    older = results(again, tmp_path / "monday")
    assert said(results(without_b(), tmp_path / "tuesday", older)) == {GONE: "critical", ORPHAN: "medium"}


def test_one_older_dump_with_the_deletion_is_enough(tmp_path: Path) -> None:
    monday, tuesday = (
        results(alive(), tmp_path / "monday"),
        results(alive().delete_artifact("b"), tmp_path / "tuesday"),
    )
    assert said(results(without_b(), tmp_path / "wednesday", monday, tuesday)) == {}


def test_an_older_dump_hands_on_the_deletions_of_its_own_older_dump(tmp_path: Path) -> None:
    """In the browser an inspection gets the newest earlier dump alone."""
    monday = results(alive().delete_artifact("b"), tmp_path / "monday")
    tuesday = results(without_b(), tmp_path / "tuesday", monday)
    assert said(results(after(without_b()), tmp_path / "wednesday", tuesday)) == {}


def test_a_deletion_of_an_artifact_whose_records_were_gone_already_explains_it(tmp_path: Path) -> None:
    def one_record_missing() -> Story:
        begun = Story().content(1, b"one").global_id().artifact("a", b"one", 1).content(2, b"two").global_id()
        return begun.skip().content(3, b"three").global_id().artifact("c", b"three", 3)

    monday = results(one_record_missing().delete_artifact("b"), tmp_path / "monday")
    assert said(monday) == {}
    assert said(results(one_record_missing(), tmp_path / "tuesday")) == {ORPHAN: "medium"}
    assert said(results(one_record_missing(), tmp_path / "wednesday", monday)) == {}


@pytest.mark.spark
@pytest.mark.slow
def test_the_command_takes_the_older_dump(tmp_path: Path) -> None:
    newer = written(without_b(), tmp_path / "tuesday.ndjson")
    found = {}
    for name, story in (("alive", alive()), ("deleted", alive().delete_artifact("b"))):
        older = written(story, tmp_path / f"{name}.ndjson")
        findings = json.loads(manage("inspect", newer, "--older", older, "--json").stdout)["findings"]
        found[name] = {
            one["detector"]: one["severity"] for one in findings if one["detector"] in (ORPHAN, GONE)
        }
    assert found == {"alive": {GONE: "critical", ORPHAN: "medium"}, "deleted": {}}
