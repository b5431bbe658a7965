"""`manage.py repair`, as somebody types it: exit codes, stdout, and the files it leaves."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from tests.generator.apicurio import incident
from tests.generator.dumps import kcat_base64
from tests.workers.commands import manage
from workers.management.commands.repair import Command, requested_schema, sorted_out


@pytest.mark.slow
@pytest.mark.parametrize("words", [[], ["one"], ["--out", "folder"]])
def test_without_a_journal_or_a_folder_a_sentence_says_what_to_name(words: list[str], tmp_path: Path) -> None:
    done = manage("repair", *(str(tmp_path / word) if word == "folder" else word for word in words))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Name a journal: manage.py repair PATH... --out FOLDER")


@pytest.mark.spark
@pytest.mark.slow
def test_a_lost_content_comes_back_from_an_older_dump(tmp_path: Path) -> None:
    for stage in ("lost", "at_risk"):
        (tmp_path / f"{stage}.json").write_bytes(kcat_base64(incident(2, stage)))  # type: ignore[arg-type]
    done = manage(
        "repair",
        tmp_path / "lost.json",
        "--older",
        tmp_path / "at_risk.json",
        "--out",
        tmp_path / "out",
        "--json",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    [partition] = json.loads(done.stdout)["partitions"]
    assert partition["recommended"] == "append"
    assert partition["missing"] == []
    kept = {path.name for path in (tmp_path / "out").glob("*/*")}
    assert kept == {
        "append.topicdump", "append.ndjson", "append-steps.md", "mended.topicdump", "mended.ndjson", "copy-steps.md",
            "repair.json", "built-from.tsv", "ApplyRepair.java",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("recommended", "unsupported", "code"),
    [(["append"], 0, 0), ([], 0, 0), ([], 1, 3), (["append"], 1, 3), (["append", None], 1, 1)],
)
def test_of_several_journals_the_gravest_gives_the_exit_code(
    recommended: list[str | None], unsupported: int, code: int
) -> None:
    partitions = [{"is_complete": bool(way)} for way in recommended]
    document = {"partitions": partitions, "nothing_to_repair": [], "unsupported": [{}] * unsupported}
    assert Command().exit_code(document) == code


def test_an_id_belongs_to_the_file_in_front_of_it(tmp_path: Path) -> None:
    first, second = tmp_path / "a.avsc", tmp_path / "b.proto"
    for path in (first, second):
        path.write_text("{}")
    files, requested = sorted_out([first, (14, "orders/value", 2), (15, "", 0), second])
    assert [file.name for file in files] == ["a.avsc", "b.proto"]
    assert [(one.schema_id, one.subject, one.version, one.file) for one in requested] == [
        (14, "orders/value", 2, files[0]),
        (15, "", 0, None),
    ]


@pytest.mark.parametrize(
    ("text", "meant"),
    [("14", (14, "", 0)), ("14=a=b/c/2", (14, "a=b/c", 2)), ("7=:.ctx:s/1", (7, ":.ctx:s", 1))],
)
def test_a_schema_id_is_written_with_or_without_its_place(text: str, meant: tuple[int, str, int]) -> None:
    assert requested_schema(text) == meant


@pytest.mark.parametrize("text", ["", "x", "14=", "14=subject", "-1", "99999999999"])
def test_what_is_no_schema_id_is_answered_with_the_form(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="Write --id 14"):
        requested_schema(text)
