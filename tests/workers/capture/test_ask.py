"""What may be asked of a capture, and what is refused in a sentence."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from workers.capture import CaptureSpec

WRONG = {
    "a path": {"topic": "../orders"},
    "dots": {"topic": ".."},
    "no name": {"topic": ""},
    "no topic": {},
    "a word nobody knows": {"topic": "orders", "until": 5},
    "no partitions": {"topic": "orders", "partitions": []},
    "a partition below 0": {"topic": "orders", "partitions": [-1]},
    "a start of two kinds": {"topic": "orders", "start": {"offset": 1, "at": "earliest"}},
    "a start at the end": {"topic": "orders", "start": {"at": "latest"}},
    "a start below 0": {"topic": "orders", "start": {"offset": -1}},
    "an end by partition": {"topic": "orders", "end": {"offsets": {"0": 1}}},
    "an offset that is a word": {"topic": "orders", "start": {"offsets": {"0": "one"}}},
    "a partition that is a word": {"topic": "orders", "start": {"offsets": {"one": 1}}},
    "no bytes": {"topic": "orders", "max_bytes": 0},
    "a rate that is no number": {"topic": "orders", "bytes_per_second": True},
}


@pytest.mark.parametrize(
    "asked",
    [
        {"topic": "orders"},
        {"topic": "a.b_c-D9", "partitions": [0, 5], "start": {"offset": 0}, "end": {"timestamp_ms": 7}},
        {
            "topic": "orders",
            "start": {"offsets": {"0": 5}},
            "max_bytes": 1,
            "bytes_per_second": 1,
            "topic_id": "x",
        },
        {"topic": "orders", "partitions": None, "max_bytes": None},
    ],
    ids=["all of it", "a part", "what came since", "nulls"],
)
def test_an_ask_is_what_its_json_is(asked):
    spec = CaptureSpec.of(asked)
    stated = asdict(spec) | {"partitions": list(spec.partitions) if spec.partitions else None}
    assert CaptureSpec.of(stated) == spec
    assert {name: stated[name] for name in asked} == asked


@pytest.mark.parametrize("asked", WRONG.values(), ids=WRONG)
def test_what_no_capture_can_do_is_refused(asked):
    with pytest.raises(ValueError, match=r"\.$"):
        CaptureSpec.of(asked)
