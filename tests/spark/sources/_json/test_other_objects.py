"""JSON next to records: what is a record of the layout, what may be a damaged one, and what is other text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.sources import InputFile
from spark.sources._json.other_objects import are_other
from spark.sources.kafdrop_json import source as kafdrop
from spark.sources.kcat_json import source as kcat
from spark.stages.plan import InspectionPlan, plan_inputs

LOG = b'{"level":"WARN","timestamp":"2026-03-01T10:00:00.000Z","logger":"app","message":"Restarting"}\n'
RECORD = (
    b'{"partition":2,"offset":%d,"timestamp":1700000000000,"key":null,"value":{"amount":7},"headers":[]}\n'
)
KCAT = b'{"topic":"orders","partition":0,"offset":%d,"tstype":"create","ts":1700000000000,"broker":1,"key":"a","payload":%s}\n'


def planned(content: bytes, folder: Path) -> InspectionPlan:
    path = folder / "pasted.json"
    path.write_bytes(content)
    return plan_inputs([InputFile(path.name, str(path), len(content))], {}, None, folder / "prints")


def layouts(plan: InspectionPlan) -> list[Any]:
    return [row["layout"] for row in plan.files if row["layout"]]


def recognised(source: Any, content: bytes) -> bool:
    return bool(source.recognise(InputFile("a.json", "a.json", len(content)), content).matches)


def test_members_of_two_objects_are_no_record() -> None:
    assert not recognised(kafdrop, RECORD % 4 + LOG)
    assert recognised(
        kafdrop, LOG + b'{"partition":0,"offset":1,"message":"v","timestamp":"2026-03-01T10:00:00.000Z"}'
    )
    assert not recognised(kcat, b'{"topic":"orders","partition":0,"offset":1}\n{"payload":"v"}\n')


def test_the_reason_names_members_that_no_object_has_together() -> None:
    content = RECORD % 4 + LOG
    why = kafdrop.recognise(InputFile("a.json", "a.json", len(content)), content).why
    assert why == "no object has `partition`, `offset` and `message` together"


@pytest.mark.parametrize(
    "around", [LOG + b"%s", b"%s" + LOG, LOG + b"%s\n" + LOG], ids=["before", "behind", "around"]
)
def test_lines_of_a_log_next_to_records_are_other_text(around: bytes, tmp_path: Path) -> None:
    plan = planned(around % (RECORD % 4 + RECORD % 5), tmp_path)
    assert layouts(plan) == ["plain-json"]
    assert {row["kind"] for row in plan.set_aside} == {"text"}
    assert {json.loads(row["text"])["logger"] for row in plan.set_aside} == {"app"}


def test_a_table_of_offsets_before_records_is_other_text(tmp_path: Path) -> None:
    plan = planned(b"topic,partition,offset\norders,0,12\norders,1,9\n\n" + KCAT % (3, b'"v"'), tmp_path)
    assert layouts(plan) == ["kcat-json"]
    assert next(row["text"] for row in plan.set_aside) == "topic,partition,offset"


REQUEST = b'{"partitions": [{"topic": "orders", "partition": 0, "offset": 11}], "version": 1}'
ANSWER = b'{"page": [{"partition": 0, "offset": 11, "value": "v"}], "size": 1}'


@pytest.mark.parametrize("between", [b"\n", b"```\nDelete up to it:\n```\n"], ids=["next line", "next fence"])
@pytest.mark.parametrize(
    "request_", [REQUEST, json.dumps(json.loads(REQUEST), indent=2).encode()], ids=["line", "lines"]
)
def test_a_place_within_another_object_is_other_text(between: bytes, request_: bytes, tmp_path: Path) -> None:
    plan = planned(b"```\n" + KCAT % (11, b'"v"') + between + request_ + b"\n```\n", tmp_path)
    texts = [row["text"] for row in plan.set_aside if row["kind"] == "text" and "Delete" not in row["text"]]
    assert json.loads("".join(texts)) == json.loads(request_)
    assert {row["kind"] for row in plan.set_aside} == {"fence", "text"}


def test_records_within_another_object_are_not_other_text() -> None:
    assert are_other([KCAT % (7, b'"v"'), ANSWER]) == [False, False]


@pytest.mark.parametrize(
    "damaged",
    [
        b'{"topic":"orders","partition":0,"off',
        b'{"topic":"orders","key":"a","payload":"v"}',
        b'{"topic":"orders","payl',
        b'ayload":"v"}',
        b'{"partition":0,"offset":8,"broken":',
        b'{"message":{"partition":0,"offset":8,"key":',
    ],
)
def test_what_may_be_a_damaged_record_is_not_other_text(damaged: bytes) -> None:
    assert are_other([KCAT % (7, b'"v"'), damaged]) == [False, False]


def test_without_a_record_nothing_is_other_text() -> None:
    assert are_other([LOG, b'{"a":1}']) == [False, False]
