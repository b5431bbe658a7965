"""Journals without a repair: nothing to repair, with how that is known, or a dialect that has no planner."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.repair.answers import RepairAnswer
from spark.repair.inputs import Input
from spark.repair.nothing import Untouched
from spark.repair.result import repair
from spark.repair.words import as_text
from spark.sources import InputFile
from tests.generator.apicurio import healthy
from tests.generator.dumps import kcat_base64
from tests.generator.journal import Journal, Stored
from tests.generator.segment import Record
from tests.spark.whole_pipeline import report_on


def answered(folder: Path, journal: Journal, *older: Journal) -> RepairAnswer:
    """What a repair says of a journal."""
    inputs = []
    for number, one in enumerate((journal, *older)):
        path = folder / f"{number}.json"
        path.write_bytes(kcat_base64(one))
        file = InputFile(path.name, str(path), path.stat().st_size)
        name = f"the older dump {path.name}" if number else "this journal"
        inputs.append(Input(report_on([file], folder / str(number)), folder / str(number), name))
    return repair(inputs[0], inputs[1:], [], report_on, folder / "out")


def test_a_healthy_journal_is_told_how_that_is_known(tmp_path: Path) -> None:
    answer = answered(tmp_path, healthy(5))
    assert answer.partitions == answer.unsupported == []
    [one] = answer.intact
    assert one.sentence == (
        "Nothing to repair: Apicurio Registry 2.5.9 and Apicurio Registry 2.6.13 were started on this journal in memory, before "
        "and after two compactions, and no start and no compaction changes what it contains. Only an older dump shows records "
        "that are missing without a trace."
    )


def test_an_older_dump_that_has_no_more_is_named(tmp_path: Path) -> None:
    [one] = answered(tmp_path, healthy(5), healthy(5)).intact
    assert one.sentence.endswith(
        "The older dump 1.json contains nothing that is missing here without a trace."
    )


def test_a_journal_of_another_dialect_is_not_called_intact(tmp_path: Path) -> None:
    offsets = Record(b'["source",{"file":"a.txt"}]', b'{"position":7}')
    answer = answered(tmp_path, Journal("connect-offsets", 0, [Stored(0, offsets)]))
    assert answer.partitions == answer.intact == []
    assert [one.dialect for one in answer.unsupported] == ["connect"]
    assert answer.unsupported[0].sentence.startswith(
        "Not supported: Journalscope does not repair journals of this type"
    )


@pytest.mark.parametrize(("count", "name"), [(1, "t-0"), (3, "t (3 partitions)")])
def test_partitions_of_which_the_same_holds_are_one_line(count: int, name: str) -> None:
    answer = RepairAnswer(unsupported=[Untouched("t", number, "plain", "Why.") for number in range(count)])
    assert as_text(answer, Path("out")) == f"{name}: Why."
