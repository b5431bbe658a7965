"""`manage.py state`, as somebody types it: exit codes, stdout, and what it says of an input that it cannot read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.workers.commands import manage


def test_without_a_journal_a_sentence_says_what_to_name() -> None:
    done = manage("state", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Name a journal: manage.py state PATH...")


@pytest.mark.spark
@pytest.mark.slow
def test_what_cannot_be_read_is_a_document_too(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear all,\nthere is no journal in here\n")
    done = manage("state", tmp_path / "letter.txt", "--json")
    assert done.returncode == 2
    assert "Unknown file format: letter.txt" in json.loads(done.stdout)["error"]
    assert "Unknown file format: letter.txt" in done.stderr


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(("chosen", "held"), [("schema-registry", {"schema"}), ("_schemas=plain", set())])
def test_a_topic_is_read_as_the_dialect_that_was_named(tmp_path: Path, chosen: str, held: set[str]) -> None:
    key = {"keytype": "SCHEMA", "subject": "s", "version": 1, "magic": 1}
    value = {"subject": "s", "version": 1, "id": 1, "schema": '"string"', "deleted": False}
    record = {"topic": "_schemas", "partition": 0, "offset": 0, "key": json.dumps(key)}
    (tmp_path / "dump.json").write_text(json.dumps([record | {"payload": json.dumps(value)}]))
    done = manage("state", tmp_path / "dump.json", "--dialect", chosen, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    entities = json.loads(done.stdout)["entities"]
    assert {one["entity_type"] for one in entities} >= held
    assert bool(entities) is bool(held)


@pytest.mark.spark
@pytest.mark.slow
def test_of_a_topic_that_no_service_replays_it_lists_the_keys(tmp_path: Path) -> None:
    written = [("k1", "old"), ("k2", "two"), ("k1", "new"), ("k2", None), ("k3", "three")]
    rows = [
        {"topic": "orders", "partition": 0, "offset": offset, "key": key, "payload": value}
        for offset, (key, value) in enumerate(written)
    ]
    (tmp_path / "dump.json").write_text(json.dumps(rows))
    now = json.loads(manage("state", tmp_path / "dump.json", "--json").stdout)
    assert [(row["key"], row["value"], row["offset"]) for row in now["keys"]] == [
        ("k1", "new", 2),
        ("k3", "three", 4),
    ]
    before = manage("state", tmp_path / "dump.json", "--at", "1")
    assert before.stdout.splitlines()[:3] == [
        "orders-0: the latest value of each key",
        "  k1  old  (offset 0)",
        "  k2  two  (offset 1)",
    ]


@pytest.mark.spark
@pytest.mark.slow
def test_numbers_of_a_print_without_offsets_are_not_called_offsets(tmp_path: Path) -> None:
    (tmp_path / "print.txt").write_text(
        "CreateTime:1700000000000\tk1\told\nCreateTime:1700000000100\tk1\tnew\n"
    )
    state = manage("state", tmp_path / "print.txt").stdout.splitlines()
    assert state[:2] == [
        "partition not printed: the latest value of each key",
        "  k1  new  (record 2 of the print)",
    ]
    report = manage("inspect", tmp_path / "print.txt").stdout
    assert "missing offsets unknown: the dump contains no offsets" in " ".join(report.split())
    assert "partition not printed: 2 records without offsets" in report


@pytest.mark.spark
@pytest.mark.slow
def test_beside_a_dump_with_offsets_a_print_without_stays_one_without(tmp_path: Path) -> None:
    (tmp_path / "print.txt").write_text(
        "CreateTime:1700000000000\tk1\told\nCreateTime:1700000000100\tk1\tnew\n"
    )
    rows = [
        {"topic": "pay", "partition": 0, "offset": offset, "key": "a", "payload": "1"} for offset in (0, 1)
    ]
    (tmp_path / "dump.json").write_text(json.dumps(rows))
    paths = (tmp_path / "dump.json", tmp_path / "print.txt")
    report = json.loads(manage("inspect", *paths, "--json").stdout)
    assert "no missing offsets between those with offsets" in report["verdict"]["sentence"]
    assert "missing offsets of 1 partition unknown" in report["verdict"]["sentence"]
    of = {journal["topic"]: journal["verdict"]["sentence"] for journal in report["journals"]}
    assert "no missing offsets between them" in of["pay"]
    assert "missing offsets unknown: the dump contains no offsets" in of["?"]
    state = manage("state", *paths).stdout
    assert "k1  new  (record 2 of the print)" in state
    assert "a  1  (offset 1)" in state
