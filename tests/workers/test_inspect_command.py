"""`manage.py inspect`, as somebody types it: exit codes, stdout, and no database or Redis anywhere near."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.generator.segment import Record, segment
from tests.workers.commands import manage

PLAIN = [{"offset": 0, "key": "a", "payload": "1"}, {"offset": 1, "key": "a", "payload": "2"}]


@pytest.fixture(scope="module")
def journals(tmp_path_factory) -> dict[str, Path]:
    """A healthy dump, a segment with a broken byte in a value, and a file that is no journal."""
    folder = tmp_path_factory.mktemp("journals")
    (folder / "plain.json").write_text(json.dumps(PLAIN))
    (folder / "letter.txt").write_text("Dear all,\nthere is no journal in here\n")
    (folder / "orders-0").mkdir()
    data = bytearray(segment([Record(b"key %d" % n, b"value %d" % n) for n in range(20)]))
    data[data.index(b"value 7")] ^= 1
    (folder / "orders-0" / "00000000000000000000.log").write_bytes(data)
    return {"healthy": folder / "plain.json", "broken": folder / "orders-0", "letter": folder / "letter.txt"}


@pytest.mark.spark
@pytest.mark.slow
def test_each_path_gives_one_line_in_order_and_the_worst_exit_code(journals, tmp_path):
    out = tmp_path / "out"
    paths = [journals["healthy"], journals["letter"], tmp_path / "nowhere", journals["broken"]]
    done = manage("inspect", "--json", "--each", "--out", out, *paths)
    healthy, letter, nowhere, broken = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 2
    assert (healthy["schema"], healthy["verdict"]["level"]) == (1, "healthy")
    assert healthy["coverage"]["records_per_partition"] == {"?-0": 2}
    assert "Unknown file format: letter.txt" in letter["error"]
    assert f"{tmp_path / 'nowhere'} does not exist" in nowhere["error"]
    assert [finding["detector"] for finding in broken["findings"]] == ["crc-mismatch"]
    assert Path(broken["tables"]) == out / "4"
    assert json.loads((out / "4" / "report.json").read_text())["findings"] == broken["findings"]
    assert (out / "1" / "tables.json").exists()


@pytest.mark.spark
@pytest.mark.slow
def test_a_dash_is_the_text_on_standard_input() -> None:
    rows = "".join(
        f'{{"topic":"orders","partition":0,"offset":{n},"key":"a","payload":"{n}"}}\n' for n in range(3)
    )
    paste = f"```\n$ kcat -C -t orders -J\n{rows}```\n"
    report = json.loads(manage("inspect", "--json", "-", standard_input=paste).stdout)
    assert report["verdict"]["level"] == "healthy"
    assert report["coverage"]["records_per_partition"] == {"orders-0": 3}
    notes = [finding for finding in report["findings"] if finding["detector"] == "lines-set-aside"]
    assert [note["title"] for note in notes] == ["3 lines that are not output of the tool (command, fence)"]


@pytest.mark.spark
@pytest.mark.slow
def test_text_on_stdout_nothing_else_and_nothing_left_behind(journals, tmp_path):
    done = manage("inspect", journals["broken"], TMPDIR=str(tmp_path))
    assert done.returncode == 1
    assert "orders" in done.stdout
    assert "{" not in done.stdout
    assert done.stderr == ""
    assert [path.name for path in tmp_path.iterdir() if "journalscope" in path.name] == []


@pytest.mark.spark
@pytest.mark.slow
def test_an_input_that_cannot_be_read_is_exit_2_with_what_was_tried(journals):
    done = manage("inspect", "--json", journals["letter"])
    assert done.returncode == 2
    assert set(json.loads(done.stdout)) == {"error"}
    assert "Formats checked" in done.stderr


@pytest.mark.slow
def test_without_a_path_a_sentence_says_what_to_name():
    done = manage("inspect")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Name what to inspect")


@pytest.mark.slow
def test_results_never_go_into_a_folder_that_holds_something(journals, tmp_path):
    (tmp_path / "report.json").write_text("{}")
    done = manage("inspect", "--out", tmp_path, journals["healthy"])
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not empty" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--jsn", "x"], ["--out"]], ids=["unknown option", "option without value"])
def test_a_wrong_option_is_exit_2(words):
    done = manage("inspect", *words)
    assert (done.returncode, done.stdout) == (2, "")


RULES = """\
- {name: twice, title: Records with the key a, severity: high, over: records, text: 'It is {value}', remedy: Ask.,
   when: {column: key, is: a}}
- {name: headed, title: Records with a header, severity: low, over: records, text: It has one, remedy: Ask.,
   when: {column: headers.trace, is: x}}
- {name: many, title: Keys with many versions, severity: low, over: keys, text: It has many, remedy: Ask.,
   when: {column: versions, over: 100}}
"""


@pytest.mark.spark
@pytest.mark.slow
def test_rules_of_a_file_are_looked_for_too(journals, tmp_path):
    (tmp_path / "rules.yaml").write_text(RULES)
    done = manage("inspect", "--json", "--rules", tmp_path / "rules.yaml", journals["healthy"])
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert report["verdict"]["sentence"] == "The rule twice applies to 1 partition."
    assert [rule["id"] for rule in report["rules"]] == [
        "rule:file/twice",
        "rule:file/headed",
        "rule:file/many",
    ]
    found = [one for one in report["findings"] if one["detector"].startswith("rule:")]
    assert [(one["detector"], one["detector_version"], one["evidence"]) for one in found] == [
        ("rule:file/twice", "1", [0, 1])
    ]
    assert "rule:file/many" in report["clean"]
    why = {entry["detector"]: entry["why"] for entry in report["not_run"]}
    assert "not in this file format" in why["rule:file/headed"]


@pytest.mark.slow
def test_a_broken_rule_stops_the_command_before_anything_starts(journals, tmp_path):
    (tmp_path / "rules.yaml").write_text("name: x\ncolour: red\n")
    done = manage("inspect", "--rules", tmp_path / "rules.yaml", journals["healthy"])
    assert (done.returncode, done.stdout) == (2, "")
    assert "rules.yaml: Line 2: a rule has no member 'colour'" in done.stderr


def test_a_text_format_that_is_none_is_refused_before_anything_starts(journals):
    done = manage("inspect", "--text-format", "%t", journals["letter"])
    assert (done.returncode, done.stdout) == (2, "")
    assert "'%t' is not a format of kcat" in done.stderr


def test_a_mapping_that_is_none_is_refused_before_anything_starts(journals):
    done = manage("inspect", "--columns", "kee=KEY", journals["letter"])
    assert (done.returncode, done.stdout) == (2, "")
    assert "“kee” is not a part of a record" in done.stderr


@pytest.mark.slow
def test_unknown_columns_are_asked_for_and_the_answer_is_the_command_that_is_printed(tmp_path):
    (tmp_path / "rows.csv").write_text("id,KEY_X,body_txt\n1,a,b\n2,c,d\n")
    asked = manage("inspect", tmp_path / "rows.csv")
    assert (asked.returncode, asked.stdout) == (2, "")
    assert "  id  KEY_X  body_txt\n  1   a      b\n" in asked.stderr
    mapping = "offset=id,key=KEY_X,value=body_txt"
    assert f"manage.py inspect --columns {mapping} rows.csv" in asked.stderr
    done = manage("inspect", "--json", "--columns", mapping, tmp_path / "rows.csv")
    assert json.loads(done.stdout)["coverage"]["records"] == 2


@pytest.mark.spark
@pytest.mark.slow
def test_a_text_of_kcat_is_read_by_the_format_that_is_given(tmp_path):
    (tmp_path / "dump.txt").write_text("orders 0 5 k v 1\norders 0 6 k w\n")
    done = manage("inspect", "--json", "--text-format", r"%t %p %o %k %s\n", tmp_path / "dump.txt")
    report = json.loads(done.stdout)
    assert report["coverage"]["offsets_per_partition"] == {"orders-0": [5, 6]}
    assert [file["layout"] for file in report["files"]] == ["kcat-format"]
