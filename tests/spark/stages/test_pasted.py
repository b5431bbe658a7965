"""The prints of a pasted text in the plan: files of their own, places in the upload, topics that commands name."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources import InputFile
from spark.sources._wrapping.commands import place_in
from spark.sources._wrapping.written import read_split
from spark.sources.kcat_format import with_text_format
from spark.stages.plan import InspectionPlan, plan_inputs
from spark.terms.errors import UnknownColumns
from tests.spark.sources._wrapping.sorted_texts import DUMPING, batch, kcat


def planned(content: bytes, folder: Path) -> InspectionPlan:
    path = folder / "ticket.txt"
    path.write_bytes(content)
    return plan_inputs([InputFile(path.name, str(path), len(content))], {}, None, folder / "prints")


def test_a_records_place_is_that_of_its_line_in_the_upload(tmp_path: Path) -> None:
    text = b"Look:\r\n```\r\n> " + kcat(7) + b"\r\n> " + kcat(8) + b"\r\n```\r\n"
    found = planned(text, tmp_path)
    rows = [
        row
        for split in found.splits
        for chunk in read_split(split)
        if chunk.records
        for row in chunk.records.to_pylist()
    ]
    assert [row["batch_position"] for row in rows] == [text.index(b"> {"), text.rindex(b"> {")]
    assert found.files[0]["size_bytes"] == len(text)


def test_damage_points_into_the_upload(tmp_path: Path) -> None:
    text = b"```\n" + kcat(0) + b'\n{"topic":"orders","partition":0,"offset":1,"pay\n' + kcat(2) + b"\n```\n"
    damage = [
        row
        for split in planned(text, tmp_path).splits
        for chunk in read_split(split)
        if chunk.damage
        for row in chunk.damage.to_pylist()
    ]
    assert [row["position"] for row in damage] == [text.index(b'{"topic":"orders","partition":0,"offset":1')]


def test_two_prints_are_two_files_named_by_their_lines(tmp_path: Path) -> None:
    found = planned(DUMPING + b"\n" + batch(0) + b"\n\n$ kcat -J -t orders\n" + kcat(0) + b"\n", tmp_path)
    assert [row["name"] for row in found.files] == ["ticket.txt (lines 1-4)", "ticket.txt (line 7)"]
    assert [row["layout"] for row in found.files] == ["dump-log-text", "kcat-json"]
    assert [row["kind"] for row in found.set_aside] == ["command"]


def test_what_is_no_layouts_beside_a_print_is_set_aside(tmp_path: Path) -> None:
    found = planned(b"$ bin/kafka-x.sh --y\nsome output\n$ kcat -J -t orders\n" + kcat(0) + b"\n", tmp_path)
    assert [row["layout"] for row in found.files] == ["kcat-json"]
    assert "some output" in [row["text"] for row in found.set_aside]


def test_the_command_names_the_topic_that_the_print_does_not(tmp_path: Path) -> None:
    text = b"$ kafka-console-consumer --topic orders --partition 3\nOffset:0\tk\tv\nOffset:1\tk\tw\n"
    found = planned(text, tmp_path)
    assert (found.files[0]["topic"], found.files[0]["partition"]) == ("orders", 3)


@pytest.mark.parametrize(
    ("command", "place"),
    [
        ("kafka-console-consumer --bootstrap-server b:9092 --topic orders --from-beginning", ("orders", None)),
        ("kcat -b b:9092 -C -t orders -p 2 -J", ("orders", 2)),
        ("rpk topic consume orders", ("orders", None)),
        ("print `orders` from beginning;", ("orders", None)),
        ("kafka-dump-log.sh --files /data/orders-4/00000000000000000000.log", ("orders", 4)),
        ("kafka-dump-log.sh --files /d/a-0/00000000000000000000.log,/d/b-0/00000000000000000000.log", (None, None)),
        ("kafka-console-consumer --include 'a|b'", (None, None)),
        ("cat notes.txt", (None, None)),
    ],
)  # fmt: skip
def test_places_in_commands(command: str, place: tuple[str | None, int | None]) -> None:
    assert place_in(command) == place


def test_the_format_that_a_user_gave_holds_within_a_fence(tmp_path: Path) -> None:
    path = tmp_path / "ticket.txt"
    path.write_bytes(b"```\n4|a|one\n5|b|two\n```\n")
    [file] = with_text_format([InputFile(path.name, str(path), path.stat().st_size)], r"%o|%k|%s\n")
    found = plan_inputs([file], {}, None, tmp_path / "prints")
    assert [row["layout"] for row in found.files] == ["kcat-format"]
    assert [row["kind"] for row in found.set_aside] == ["fence", "fence"]


def test_columns_that_a_user_named_hold_for_a_table_in_a_ticket(tmp_path: Path) -> None:
    path = tmp_path / "ticket.txt"
    path.write_bytes(b"Rows of $ psql:\n```\n k | v\n---+---\n a | b\n(1 row)\n```\n$ kcat -J -t orders\n")
    [file] = with_text_format([InputFile(path.name, str(path), path.stat().st_size)], "key=k,value=v")
    in_plan = plan_inputs([file], {}, None, tmp_path / "prints")
    assert [row["layout"] for row in in_plan.files] == ["other-csv"]
    assert "offset" in in_plan.splits[0].lacks


def test_a_table_beside_a_dump_is_left_out_with_its_columns(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(kcat(0) + b"\n")
    (tmp_path / "b.csv").write_bytes(b"x,y,z\n1,2,a\n3,4,b\n")
    files = [InputFile(p.name, str(p), p.stat().st_size) for p in sorted(tmp_path.glob("*.*"))]
    notes = [row["note"] for row in plan_inputs(files, {}, None, tmp_path / "prints").files]
    assert "b.csv is a table with a comma between columns: 2 rows, columns “x”, “y” and “z”." in notes[1]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "time,level,body\n" + "2024-01-01T10:00:00.123Z,INFO,a\n" * 9),
        ("a.md", "| Id | Doc |\n|---|---|\n" + "| k | v |\n" * 9),
    ],
)
def test_a_table_with_names_is_asked_about_whatever_its_lines_look_like(
    name: str, content: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(UnknownColumns, match="9 rows"):
        plan_inputs([InputFile(name, str(tmp_path / name), len(content))], {}, None, tmp_path / "prints")


def test_a_format_in_the_text_comes_before_the_users(tmp_path: Path) -> None:
    path = tmp_path / "ticket.txt"
    path.write_bytes(b"$ kcat -C -t orders -f '%o|%k|%s\\n'\n4|a|one\n5|b|two\n")
    [file] = with_text_format([InputFile(path.name, str(path), path.stat().st_size)], r"%k/%s\n")
    found = plan_inputs([file], {}, None, tmp_path / "prints")
    assert [(row["layout"], row["topic"]) for row in found.files] == [("kcat-format", "orders")]
    assert found.splits[0].detail["format"] == r"%o|%k|%s\n"
