"""What a repair writes, for made-up incidents: lost first versions with later ones, files from git, contents at risk."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spark.dialects.apicurio_v2.content import read_content
from spark.repair import AddedSchemaFile
from spark.repair.answers import Repaired
from spark.repair.built import DumpComparison, compared, read_manifest
from spark.repair.inputs import Input
from spark.repair.result import repair
from spark.repair.steps import write_steps
from spark.sources import InputFile
from spark.terms.errors import UnreadableInput
from tests.generator.apicurio import healthy, incident
from tests.generator.dumps import kcat_base64
from tests.generator.journal import Journal, Stored
from tests.spark.whole_pipeline import report_on


def inspected(journal: Journal, folder: Path, name: str) -> Input:
    """A made-up journal as kcat dumps it."""
    path = folder / f"{name}.json"
    path.write_bytes(kcat_base64(journal))
    file = InputFile(path.name, str(path), path.stat().st_size)
    return Input(report_on([file], folder / name), folder / name, name)


def mended(
    folder: Path, broken: Journal, older: Journal | None = None, *files: AddedSchemaFile
) -> list[Repaired]:
    """What comes of a journal."""
    others = [inspected(older, folder, "older")] if older else []
    answer = repair(inspected(broken, folder, "broken"), others, files, report_on, folder / "out")
    return answer.partitions


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    """The lines of a file that the repair wrote."""
    path = next((folder / "out").glob(f"*/{name}"))
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("seed", range(4))
def test_what_is_at_risk_is_kept_from_the_journal_alone(tmp_path: Path, seed: int) -> None:
    [found] = mended(tmp_path, incident(seed, "at_risk", affected_count=2, affected_versions=2, restarts=2))
    assert not found.plan.missing
    assert [(way.id, way.holds, way.lacks) for way in found.ways] == [
        ("append", True, []),
        ("copy", True, []),
    ]


def test_an_artifact_that_was_created_again_is_repaired_without_its_predecessor(tmp_path: Path) -> None:
    journal = incident(5, "lost", life_goes_on=True, made_again=True)
    [found] = mended(tmp_path, journal)
    created = max(offset for update in journal.empty_updates for offset in update.artifact_offsets)
    (predecessor,) = found.plan.refused
    assert predecessor.entity.endswith(f"as it was before offset {created}")
    assert not found.plan.missing
    assert [(way.id, way.lacks, all(one.holds for one in way.outcomes)) for way in found.ways] == [
        ("append", [], True),
        ("copy", [], True),
    ]


def commented(author: str) -> Journal:
    """Contents at risk of two artifacts; one of them has a comment."""
    journal = incident(3, "at_risk", affected_count=2, affected_versions=3)
    comments = [one for one in journal.stored if one.record.key[:1] == b"\x10" and one.record.value]
    assert comments
    values = {
        one.offset: one.record.value[:1]
        + json.dumps(json.loads(one.record.value[1:]) | {"createdBy": author}).encode()
        for one in comments
    }
    stored = [
        replace(one, record=replace(one.record, value=values.get(one.offset, one.record.value)))
        for one in journal.stored
    ]
    return replace(journal, stored=stored)


def test_the_comments_of_an_artifact_are_deleted_before_it(tmp_path: Path) -> None:
    [found] = mended(tmp_path, commented(""))
    append = found.ways[0]
    assert (append.holds, found.recommended and found.recommended.id) == (True, "append")
    whats = [one.what for one in append.added]
    comment = next(place for place, what in enumerate(whats) if what.startswith("DELETE of Comment"))
    assert whats[comment + 1].startswith("DELETE of artifact")


def test_a_comment_with_an_author_leaves_only_the_copy(tmp_path: Path) -> None:
    [found] = mended(tmp_path, commented("alice"))
    assert [(way.id, way.holds) for way in found.ways] == [("append", False), ("copy", True)]
    assert found.recommended
    assert found.recommended.id == "copy"


@pytest.mark.parametrize("seed", range(4))
def test_what_is_lost_comes_back_with_an_older_dump(tmp_path: Path, seed: int) -> None:
    choice: dict[str, Any] = {"affected_count": 2, "affected_versions": 3, "life_goes_on": True}
    [found] = mended(tmp_path, incident(seed, "lost", **choice), incident(seed, "at_risk", **choice))
    assert not found.plan.missing
    assert [(way.id, way.holds, way.lacks) for way in found.ways] == [
        ("append", True, []),
        ("copy", True, []),
    ]


def test_a_file_brings_a_content_back_when_its_hash_is_the_one(tmp_path: Path) -> None:
    lost, whole = incident(3, "lost"), incident(3, "at_risk")
    texts = [
        read_content(stored.record.value).content
        for stored in whole.stored
        if stored.record.value and stored.record.value[:1] == b"\x02"
    ]
    files = []
    for number, text in enumerate(texts):
        path = tmp_path / f"{number}.proto"
        path.write_bytes(text + b"\n")
        files.append(AddedSchemaFile(path.name, path))
    [found] = mended(tmp_path, lost, None, *files)
    assert not found.plan.missing
    assert found.recommended is not None
    assert found.ways[0].added[0].source.startswith("file ")


def test_a_file_with_another_text_is_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "other.proto"
    path.write_text('syntax = "proto3";\n', encoding="utf-8")
    [found] = mended(tmp_path, incident(3, "lost"), None, AddedSchemaFile(path.name, path))
    assert not found.ways
    assert found.plan.missing


def test_a_healthy_journal_needs_none(tmp_path: Path) -> None:
    assert mended(tmp_path, healthy(5)) == []


def test_what_a_file_brings_has_a_time_of_the_journal_and_every_file_is_what_the_import_tool_reads(
    tmp_path: Path,
) -> None:
    lost, whole = incident(3, "lost"), incident(3, "at_risk")
    path = tmp_path / "schema.proto"
    for stored in whole.stored:
        if stored.record.value and stored.record.value[:2] == b"\x02\x01":
            path.write_bytes(read_content(stored.record.value).content)
            found = mended(tmp_path, lost, None, AddedSchemaFile(path.name, path))
            if found[0].ways:
                break
    for name in ("append", "mended"):
        for line in lines(tmp_path, f"{name}.topicdump"):
            assert set(line) <= {
                "topic",
                "partition",
                "offset",
                "tstype",
                "ts",
                "broker",
                "headers",
                "key",
                "payload",
            }
            assert line["ts"] is None or line["ts"] >= 0
            assert len(line.get("headers", [])) % 2 == 0
            for part in (line["key"], line["payload"]):
                assert part is None or base64.b64decode(part, validate=True)
    assert any(added.source.startswith("file ") for added in found[0].ways[0].added)


def test_the_files_carry_what_they_were_built_from(tmp_path: Path) -> None:
    journal = incident(1, "at_risk")
    mended(tmp_path, journal)
    (folder,) = (tmp_path / "out").iterdir()
    manifest = json.loads((folder / "repair.json").read_text())
    assert manifest["built_from"]["end_offset"] == journal.stored[-1].offset + 1
    assert manifest["built_from"]["records"] == len(journal.stored)
    for way in manifest["ways"].values():
        content = (folder / way["file"]).read_bytes()
        assert way["sha256"] == hashlib.sha256(content).hexdigest()
        assert way["records"] == content.count(b"\n")
    assert (folder / "ApplyRepair.java").is_file()


def test_a_repair_of_another_state_of_the_topic_is_told(tmp_path: Path) -> None:
    journal = incident(1, "at_risk", restarts=2)
    mended(tmp_path, journal)
    (folder,) = (tmp_path / "out").iterdir()

    def differences(name: str, stored: Sequence[Stored]) -> DumpComparison:
        (other,) = inspected(replace(journal, stored=stored), tmp_path, name).journals()
        return compared(folder, read_manifest(folder), other)

    records = journal.stored
    assert differences("same", records) == DumpComparison()
    assert "This dump ends at offset" in differences("cut", records[:-1]).differences[0]
    alone = records[4]
    other = replace(alone, record=replace(alone.record, value=(alone.record.value or b"")[:-1] + b" "))
    (sentence,) = differences("other", [*records[:4], other, *records[5:]]).differences
    assert sentence.startswith(
        f"This dump has another record at offset {alone.offset}: it is not of the topic"
    )
    superseded = next(one for one in records if one.record.key == records[-1].record.key)
    cleaned = differences("cleaned", [one for one in records if one is not superseded])
    assert cleaned == DumpComparison(cleaned=(superseded.offset,))
    (sentence,) = differences("lost", [one for one in records if one not in (superseded, alone)]).differences
    assert sentence.startswith(
        f"This dump has no record at offset {alone.offset} and no later one of the same key."
    )


def test_both_layouts_hold_the_same_records(tmp_path: Path) -> None:
    mended(tmp_path, incident(1, "at_risk"))
    for name in ("append", "mended"):
        dump, script = lines(tmp_path, f"{name}.topicdump"), lines(tmp_path, f"{name}.ndjson")
        assert [(one["key"], one["payload"], one["ts"]) for one in dump] == [
            (one["key"], one["value"], one["timestamp"]) for one in script
        ]
        offsets = [one["offset"] for one in dump]
        assert offsets == list(range(offsets[0], offsets[0] + len(offsets)))


def test_appended_records_stand_behind_the_last_one(tmp_path: Path) -> None:
    journal = incident(1, "at_risk")
    mended(tmp_path, journal)
    assert lines(tmp_path, "append.topicdump")[0]["offset"] == journal.stored[-1].offset + 1


@pytest.mark.parametrize("topic", ["../../outside", "a; rm -rf ~", "a b", "x" * 250, "?"])
def test_a_name_that_kafka_allows_no_topic_is_asked_for_and_reaches_neither_path_nor_command(
    tmp_path: Path, topic: str
) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(kcat_base64(incident(1, "at_risk")).replace(b"kafkasql-journal", topic.encode()))
    report = report_on([InputFile(path.name, str(path), path.stat().st_size)], tmp_path / "broken")
    broken = Input(report, tmp_path / "broken", "this journal")
    with pytest.raises(UnreadableInput, match="--topic kafkasql-journal"):
        repair(broken, [], [], report_on, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    [found] = repair(broken, [], [], report_on, tmp_path / "out", "registry").partitions
    assert [folder.name for folder in (tmp_path / "out").iterdir()] == ["registry-0"]
    for way in found.ways:
        assert all(name.startswith("registry-0/") for name in way.files)
        assert not any(topic in step for step in way.steps if topic != "?")
    assert {line["topic"] for line in lines(tmp_path, "append.topicdump")} == {"registry"}


def test_another_name_than_that_of_the_dump_is_refused(tmp_path: Path) -> None:
    broken = inspected(incident(1, "at_risk"), tmp_path, "broken")
    with pytest.raises(UnreadableInput, match=r"names its topic: kafkasql-journal\..*without a topic name"):
        repair(broken, [], [], report_on, tmp_path / "out", "other")
    [found] = repair(broken, [], [], report_on, tmp_path / "out", "kafkasql-journal").partitions
    assert found.topic == "kafkasql-journal"


def test_the_steps_name_the_new_topic_that_is_wanted(tmp_path: Path) -> None:
    broken = inspected(incident(1, "at_risk"), tmp_path, "broken")
    [found] = repair(broken, [], [], report_on, tmp_path / "out", new_topic="journal.v2").partitions
    steps = "\n".join(found.ways[1].steps)
    assert "ApplyRepair.java copy --new-topic journal.v2 " in steps
    assert "`REGISTRY_KAFKASQL_TOPIC=journal.v2`" in steps
    assert lines(tmp_path, "mended.ndjson")[0]["topic"] == "journal.v2"
    [other] = repair(broken, [], [], report_on, tmp_path / "other").partitions
    assert "REGISTRY_KAFKASQL_TOPIC=kafkasql-journal-repaired" in "\n".join(other.ways[1].steps)


def test_a_mended_journal_is_read_as_the_broken_one_was(tmp_path: Path) -> None:
    read = []

    def inspect(files: list[InputFile], results: Path, read_as: Mapping[str, str]) -> dict[str, Any]:
        report = report_on(files, results, read_as)
        read.append((dict(read_as), [journal["dialect"] for journal in report["journals"]]))
        return report

    repair(inspected(incident(1, "at_risk"), tmp_path, "broken"), [], [], inspect, tmp_path / "out")
    assert read == [({"": "apicurio-v2"}, ["apicurio-v2"])] * 2


def test_what_another_topic_of_the_input_holds_is_not_wanted_of_the_mended_journal(tmp_path: Path) -> None:
    files = []
    for name, topic, journal in (
        ("broken", "kafkasql-journal", incident(1, "at_risk")),
        ("other", "spare", healthy(2)),
    ):
        path = tmp_path / f"{name}.json"
        path.write_bytes(
            kcat_base64(journal).replace(b'"topic":"kafkasql-journal"', f'"topic":"{topic}"'.encode())
        )
        files.append(InputFile(path.name, str(path), path.stat().st_size))
    broken = Input(report_on(files, tmp_path / "both"), tmp_path / "both", "this journal")
    [found] = repair(broken, [], [], report_on, tmp_path / "out").partitions
    assert found.topic == "kafkasql-journal"
    assert [(way.id, way.lacks) for way in found.ways] == [("append", []), ("copy", [])]


def contents_of(journal: Journal, folder: Path) -> list[AddedSchemaFile]:
    """The text of each content of a journal, as a file that is named like its hash."""
    files = []
    for stored in journal.stored:
        if stored.record.value and stored.record.value[:2] == b"\x02\x01":
            path = folder / json.loads((stored.record.key or b"")[1:])["contentHash"]
            path.write_bytes(read_content(stored.record.value).content)
            files.append(AddedSchemaFile(path.name, path))
    return files


@pytest.mark.parametrize("lost", [0, 1])
def test_versions_with_their_content_are_saved_when_another_one_stays_lost(tmp_path: Path, lost: int) -> None:
    choice: dict[str, Any] = {"affected_count": 1, "affected_versions": 3}
    broken = inspected(incident(0, "lost", **choice), tmp_path, "broken")
    files = contents_of(incident(0, "at_risk", **choice), tmp_path)
    [nothing] = repair(broken, [], [], report_on, tmp_path / "none").partitions
    number = nothing.plan.missing[lost].entity.removeprefix("content ")
    labels = nothing.plan.missing[lost].needed_by
    given = [file for file in files if file.name not in nothing.plan.missing[lost].sought]
    [found] = repair(broken, [], given, report_on, tmp_path / "out").partitions
    assert [(one.entity, one.needed_by) for one in found.plan.missing] == [(f"content {number}", labels)]
    others = {label for one in nothing.plan.missing for label in one.needed_by} - set(labels)
    assert set(found.plan.recovered) == others
    assert [(way.id, way.holds, way.lacks) for way in found.ways] == [
        ("append", True, []),
        ("copy", True, []),
    ]
    assert found.recommended is None


def test_the_steps_pause_first_and_name_each_version_with_the_command_that_fetches_it(tmp_path: Path) -> None:
    [found] = mended(tmp_path, incident(1, "at_risk"))
    for way in found.ways:
        commands = [
            step.split("ApplyRepair.java ")[1].split()[0] for step in way.steps if "ApplyRepair.java " in step
        ]
        assert commands[:2] == ["pause", "check"]
        for label in found.plan.recovered:
            group, artifact, version = label.split("/")
            address = f"groups/{group}/artifacts/{artifact}/versions/{version}"
            assert any(
                step.startswith(f"Fetch {label}: `curl -fsS ") and address in step for step in way.steps
            )
        assert all(step.count("Warning") <= 1 for step in way.steps)
        assert any("Do not start 2.1.3 to 2.5.8" in step for step in way.steps)
        [start] = [step for step in way.steps if "Start the registry" in step]
        assert start.startswith("Warning: after this start you cannot downgrade")
        assert "Take a new dump" not in start
        assert "JDK 11" in way.steps[0]
        assert "--command-config" in way.steps[0]
        assert any("--older OLD_DUMP --out NEW_FOLDER" in step for step in way.steps)
        begins = [step.split()[0] for step in way.steps[1:7]]
        assert begins == ["Pause", "Take", "Check", "If", "Stop", "Write"]


def test_the_step_that_writes_says_what_the_program_does_with_records_too_many_for_a_batch() -> None:
    step, _ = write_steps()
    assert "writes them one by one: do not interrupt it then." in step
    assert "cannot" not in step


def test_an_append_that_loses_something_when_it_is_interrupted_says_how_large_its_batch_is(
    tmp_path: Path,
) -> None:
    [found] = mended(tmp_path, incident(1, "at_risk"))
    prefixes = found.ways[0].prefixes
    assert prefixes.tried == tuple(range(1, found.ways[0].records))
    assert 1 in prefixes.losing
    assert not prefixes.broken
    assert any("max.message.bytes of at least" in need for need in found.ways[0].needs)
    [lost] = mended_again(tmp_path / "lost", incident(1, "lost"), incident(1, "at_risk"))
    assert not lost.ways[0].prefixes.losing


def mended_again(folder: Path, broken: Journal, older: Journal) -> list[Repaired]:
    """What comes of a journal, in a folder that is not there yet."""
    folder.mkdir()
    return mended(folder, broken, older)
