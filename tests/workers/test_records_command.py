"""`manage.py records`, as somebody types it: lines of text, JSON lines, mistakes in the filter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from tests.workers.commands import manage


def test_a_mistake_in_the_filter_is_told_before_anything_is_read(tmp_path: Path) -> None:
    done = manage("records", tmp_path / "nothing.json", "--filter", "key:a kind:updat")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[1:] == ["  key:a kind:updat", "             " + "^^^^^"[:5]]
    assert done.stderr.startswith("Character 12 of the filter: ")


def test_without_a_journal_a_sentence_says_what_to_name() -> None:
    done = manage("records")
    assert done.returncode == 2
    assert done.stderr.startswith("Name a journal: manage.py records PATH...")


@pytest.mark.slow
def test_results_that_are_there_are_not_inspected_again(tmp_path: Path) -> None:
    rows = [{"key": b"acc-%d" % n, "value": None if n == 3 else b'{"n": %d}' % n} for n in range(5)]
    write_results(tmp_path, records=records_table(*rows))
    done = manage("records", tmp_path, "--filter", "key:acc-* offset:2..", "--limit", 2)
    assert (done.returncode, done.stderr.strip()) == (0, "2 records matched.")
    assert [line.split("  ")[1] for line in done.stdout.splitlines()] == ["2", "3"]
    assert done.stdout.splitlines()[1].endswith("acc-3  null")
    lines = manage("records", tmp_path, "--filter", "value.n > 3", "--json").stdout.splitlines()
    assert [json.loads(line)["value"]["text"] for line in lines] == ['{"n": 4}']


@pytest.mark.spark
@pytest.mark.slow
def test_a_journal_is_inspected_and_listed(tmp_path: Path) -> None:
    rows = [
        {"topic": "orders", "partition": 0, "offset": n, "key": f"k{n}", "payload": "v"} for n in range(3)
    ]
    (tmp_path / "dump.json").write_text("\n".join(map(json.dumps, rows)))
    done = manage("records", tmp_path / "dump.json", "--filter=-offset:1", "--json")
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["offset"] for line in done.stdout.splitlines()] == [0, 2]
