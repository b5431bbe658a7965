import json
import random
from pathlib import Path

import pytest

from spark.sources import Source, akhq_json, kcat_json, plain_json, redpanda_console_json, rpk_json
from tests.spark.sources.json_files import read

KCAT = b'{"topic":"j","partition":0,"offset":%d,"tstype":"create","ts":1,"headers":["a",null,"b"],"key":"\x89","payload":%s}\n'
AKHQ = '{"partition":1,"offset":%d,"timestamp":%s,"keySchemaId":null,"valueSchemaId":"4","headers":[{"key":"a","value":"1"}],"key":null,"value":"x"}'
SIDE = {"payload": {"a": 1}, "rawPayload": "eyJhIjoxfQ==", "isPayloadNull": False, "size": 7}
CONSOLE = {
    "partitionID": 1,
    "timestamp": 5,
    "headers": [{"key": "h", "value": SIDE}],
    "key": SIDE,
    "value": SIDE,
}
RPK = {"topic": "t", "key": "k", "value": "é", "headers": [{"key": "a"}], "timestamp": 5, "partition": 0}
CASES: dict[str, tuple[Source, bytes]] = {
    "kcat": (
        kcat_json.source,
        b"".join(KCAT % case for case in enumerate([b"null", b'"QUJD"', b'{"a":[1,{}]}', b"12"])),
    ),
    "akhq": (
        akhq_json.source,
        f"[{AKHQ % (1, '1.5')},{AKHQ % (2, json.dumps('2025-02-14T21:45:05Z'))}]".encode(),
    ),
    "console": (
        redpanda_console_json.source,
        json.dumps([CONSOLE | {"offset": n} for n in range(2)], indent=4).encode(),
    ),
    "rpk": (rpk_json.source, "\n".join(json.dumps(RPK | {"offset": n}, indent=1) for n in range(3)).encode()),
    "plain": (
        plain_json.source,
        json.dumps([{"offset": n, "key": "\x02", "payload": "\x87"} for n in range(3)]).encode(),
    ),
}


@pytest.mark.wide
@pytest.mark.parametrize("case", CASES)
def test_changed_bytes_never_raise_and_give_sound_tables(case: str, tmp_path: Path) -> None:
    source, content = CASES[case]
    whole = len(read(source, content, tmp_path).records)
    draw = random.Random(case)
    assert whole >= 2
    for _ in range(150):
        changed = bytearray(content)
        for _ in range(draw.choice([1, 1, 3])):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        reading = read(source, bytes(changed), tmp_path)
        assert len(reading.records) <= whole
        assert len(reading.records) == whole or reading.damage


@pytest.mark.wide
@pytest.mark.parametrize("case", CASES)
def test_every_truncation_gives_whole_records_only(case: str, tmp_path: Path) -> None:
    source, content = CASES[case]
    whole = read(source, content, tmp_path)
    for size in range(0, len(content), 3):
        reading = read(source, content[:size], tmp_path)
        assert reading.column("offset") == whole.column("offset")[: len(reading.records)]
