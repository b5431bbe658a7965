"""Every truncation and many flipped bytes of small prints: never an exception, and no record out of nothing."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from spark.sources import HEAD_BYTES, sources
from tests.spark.sources.prints import read_file, saved

GROUP = {"key": {"type": 1, "data": {"group": "g", "topic": "t", "partition": 0}}, "value": None}
SAMPLES = {
    "coordinator-formatters": (
        b"[g,t,0]::OffsetAndMetadata(offset=1, leaderEpoch=Optional[3], metadata=a, commitTimestamp=9, expireTimestamp=None)\n"
        b"tx::TransactionMetadata(transactionalId=tx, producerId=2, producerEpoch=1, txnTimeoutMs=6, state=Ongoing, pendingState=None, "
        b"topicPartitions=HashSet(a-0), txnStartTimestamp=1, txnLastUpdateTimestamp=2)\n" + json.dumps(GROUP).encode(),
        "",
    ),
    "mirror-formatters": (b"OffsetSync{topicPartition=t-2, upstreamOffset=10, downstreamOffset=7}\n" * 2, ""),
    "consumer-record": (
        b"ConsumerRecord(topic = t, partition = 1, leaderEpoch = 0, offset = 16, CreateTime = 15, serialized key size = 1, serialized "
        b"value size = 2, headers = RecordHeaders(headers = [RecordHeader(key = h, value = [1])], isReadOnly = false), key = k, value = vv)\n",
        "",
    ),
    "python-record": (
        b"ConsumerRecord(topic='t', partition=1, offset=16, timestamp=15, timestamp_type=0, key=b'k', value={'a': [1, None]}, headers=[('h', b'1')], "
        b"checksum=None, serialized_key_size=1, serialized_value_size=16, serialized_header_size=2)\nConsumerRecord(topic='t', partition=0, offset=1, key=None, value=b'\\x01')\n",
        "",
    ),
    "connect-record": (
        b"SinkRecord{kafkaOffset=0, timestampType=CreateTime} ConnectRecord{topic='t', kafkaPartition=0, key=k, keySchema=Schema{STRING}, value={a=1}, "
        b"valueSchema=null, timestamp=1630583824222, headers=ConnectHeaders(headers=)} (com.example:85)\n",
        "",
    ),
    "spring-message": (b"x GenericMessage [payload=foo, headers={kafka_offset=8, kafka_receivedMessageKey=k, kafka_receivedPartitionId=0, kafka_receivedTopic=t}]\n", ""),
    "go-record": (
        b"&{Headers:[] Timestamp:2023-01-01 10:00:00.5 +0000 UTC BlockTimestamp:0001-01-01 00:00:00 +0000 UTC Key:[107] Value:[118 1] Topic:t Partition:0 Offset:5}\n",
        "",
    ),
    "node-record": (
        b"{\n  topic: 't', partition: 0, message: { timestamp: '1602000000000', offset: '5', key: <Buffer 6b>, value: <Buffer 76 ... 60 more bytes>,\n"
        b"    headers: { h: <Buffer 31> }, flags: [ 1, 'a', ... 3 more items ] }, heartbeat: [AsyncFunction: heartbeat] }\n",
        "",
    ),
    "client-log": (b"offset = 0, key = null, value = {\n1}\noffset = 1, key = k, value = w\n", ""),
    "streams-print": (b'[KSTREAM-SOURCE-0000000000]: k, {"a":\n1}\n[KSTREAM-SOURCE-0000000000]: null, v\n', ""),
    "lambda-event": (
        b'{"eventSource":"aws:kafka","records":{"t-0":[{"topic":"t","partition":0,"offset":1,"timestamp":2,"key":"YQ==","value":"Yg==",'
        b'"headers":[{"h":[1,-2]}]}]}}',
        "",
    ),
    "ksql-print": (b'rowtime: 2023/04/04 14:06:12.915 Z, key: K, value: {"a": 1}, partition: 0\n1/15/18 9:00:00 AM UTC, k, v\n', ""),
    "kcat-format": (b"t 0 5 1 2 k v1\nt 0 6 -1 -1  \n", r"kcat -f '%t %p %o %K %S %k %s\n'"),
    "console-key-value": (b'{"keytype":"NOOP","magic":0}\tnull\n{"keytype":"SCHEMA"}\t{"id":\n1}\n', ""),
    "other-json": (b'[{"messageOffset":1,"partitionId":0,"messageKey":"k","content":{"a":1},"headers":{"a":null}}]', ""),
    "other-csv": (b'Partition ID,offset,Message Key,value,headers,note\n0,7,k,"{""a"": 1}","{""h"": null}",x\n0,8,k,,,\n', ""),
    "dump-log-text": (
        b"baseOffset: 0 lastOffset: 1 count: 2 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 partitionLeaderEpoch: 0 "
        b"isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty position: 0 CreateTime: 9 size: 200 magic: 2 "
        b"compresscodec: none crc: 1 isvalid: true\n| offset: 0 CreateTime: 9 keySize: 16 valueSize: 24 sequence: -1 headerKeys: [] key: "
        b'{"type":"1","data":{"group":"g","topic":"t","partition":0}} payload: {"version":"3","data":{"offset":5,"leaderEpoch":0,"metadata":"",'
        b'"commitTimestamp":1}}\n| key: group_metadata::group=g payload: {"protocolType":"consumer","assignment":"{m=[t-0]}"}\n',
        "",
    ),
}  # fmt: skip


def survives(name: str, content: bytes, command: str, folder: Path) -> int:
    """Read whatever it is recognised as, and as this layout anyway; how many records that gives."""
    file = replace(saved(content, folder), command=command)
    source = sources()[name]
    source.recognise(file, content[:HEAD_BYTES])
    return len(read_file(source, file).records)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_length_is_read_as_far_as_it_goes(name: str, tmp_path: Path) -> None:
    content, command = SAMPLES[name]
    whole = survives(name, content, command, tmp_path)
    assert whole
    for size in range(0, len(content), 3):
        assert survives(name, content[:size], command, tmp_path) <= whole + 1


@pytest.mark.parametrize("name", SAMPLES)
def test_changed_bytes_do_no_harm(name: str, tmp_path: Path) -> None:
    content, command = SAMPLES[name]
    chance = random.Random(15)
    for _ in range(150):
        changed = bytearray(content)
        for _ in range(chance.randint(1, 4)):
            changed[chance.randrange(len(changed))] = chance.choice(
                [0, 10, 32, 34, 44, 58, 91, 123, 125, 200, 255, chance.randrange(256)]
            )
        survives(name, bytes(changed), command, tmp_path)
