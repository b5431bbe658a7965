"""What MirrorMaker 2's formatters print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.dialects.mirror_maker import read_record
from spark.sources.mirror_formatters import source
from tests.spark.sources.prints import read, recognised

SYNC = b"OffsetSync{topicPartition=my-topic-2, upstreamOffset=10, downstreamOffset=7}\n"
CHECKPOINT = (
    b"Checkpoint{consumerGroupId=g, topicPartition=source.t-0, upstreamOffset=5, downstreamOffset=4, %s=x}\n"
)
HEARTBEAT = b"Heartbeat{sourceClusterAlias=a, targetClusterAlias=b, timestamp=1700000000000}\n"


@pytest.mark.parametrize(
    ("line", "kind", "entity", "members"),
    [
        (SYNC, "offset-sync", "my-topic/2", {"upstreamOffset": 10, "downstreamOffset": 7}),
        (CHECKPOINT % b"metatadata", "checkpoint", "g/source.t/0", {"downstreamOffset": 4, "metadata": "x"}),
        (CHECKPOINT % b"metadata", "checkpoint", "g/source.t/0", {"upstreamOffset": 5, "metadata": "x"}),
        (HEARTBEAT, "heartbeat", "a/b", {"timestamp": 1700000000000}),
    ],
)
def test_each_formatters_line_is_the_record(
    tmp_path: Path, line: bytes, kind: str, entity: str, members: dict[str, Any]
) -> None:
    found = read(source, line * 2, tmp_path)
    assert (len(found.records), found.damage) == (2, [])
    told = read_record(found.records[0]["key"], found.records[0]["value"])
    assert (told[0], told[2]) == (kind, entity)
    assert members.items() <= json.loads(told[3] or "").items()
    answers = recognised(line, tmp_path)
    assert [name for name, answer in answers.items() if answer.matches] == [source.id]


def test_lines_that_do_not_fit_are_told(tmp_path: Path) -> None:
    odd = SYNC.replace(b"=10", b"=99999999999999999999")
    found = read(source, SYNC + b"Processed a total of 1 messages\n" + odd + SYNC + SYNC[:20], tmp_path)
    assert (len(found.records), [row["reason"] for row in found.damage]) == (2, ["bad_line", "truncated"])
