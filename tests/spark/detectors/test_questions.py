"""Detectors ask about all partitions at once: what a data folder of many partitions costs does not grow with their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from spark.detectors import Detector
from spark.report import detect
from spark.report.detect import Answer
from spark.tables.store import ResultTables
from tests.generator import bulk
from tests.spark.whole_pipeline import report_of

BYTES = 30_000  # some dozen records
FEW, MANY = 2, 9


def asked(folder: Path, partitions: int, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """By detector, the number of its questions about a folder of healthy partitions."""
    for partition in range(partitions):
        bulk.write_segments(folder / "one", BYTES, "none", seed=partition)
        target = folder / "data" / f"{bulk.TOPIC}-{partition}"
        target.parent.mkdir(exist_ok=True)
        (folder / "one" / f"{bulk.TOPIC}-0").replace(target)
    questions, at_work, answer, execute = Counter[str](), [""], detect.answer, ResultTables._with_room

    def one_by_one(
        chosen: Iterable[Detector], tables: ResultTables, whole: ResultTables | None = None
    ) -> Answer:
        findings, unrun = [], {}
        for detector in chosen:
            at_work[0] = detector.id
            found, reasons = answer([detector], tables, whole)
            findings += found
            unrun |= reasons
        at_work[0] = ""
        return findings, unrun

    def counted(tables: ResultTables, ask: object) -> object:
        questions[at_work[0]] += 1
        return execute(tables, ask)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(detect, "answer", one_by_one)
        patch.setattr(ResultTables, "_with_room", counted)
        report = report_of(folder / "data", folder / "results")
    assert len(report["coverage"]["records_per_partition"]) == partitions
    del questions[""]
    return questions


def test_detectors_ask_as_much_about_many_partitions_as_about_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, many = (asked(tmp_path / str(number), number, monkeypatch) for number in (FEW, MANY))
    assert "object-printed-as-text" in few
    assert {name: (few[name], many[name]) for name in many if many[name] != few[name]} == {}
