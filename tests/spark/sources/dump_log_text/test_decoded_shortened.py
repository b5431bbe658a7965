"""Prints of a decoder whose lines somebody shortened: what a decoder printed is never taken for the record's bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.dialects import dialects
from spark.sources import Chunk, InputFile
from spark.sources.dump_log_text import source
from tests.spark.sources.prints import Reading, read

SEGMENT = "Dumping /data/%s-3/00000000000000000000.log"
LINE = "| offset: %d ...%s"
KEYLESS = "| offset: %d keySize: -1 ...%s"  # without it, whether the record has a key is not known
COMMIT_KEY = ' key: {"type":"1","data":{"group":"billing","topic":"bills","partition":7}}'
COMMIT = COMMIT_KEY + (
    ' payload: {"version":"3","data":{"offset":90,"leaderEpoch":2,"metadata":"","commitTimestamp":1800000000000}}'
)
TXN_KEY = ' key: {"type":"0","data":{"transactionalId":"payer"}}'
TXN = TXN_KEY + (
    ' payload: {"version":"0","data":{"producerId":8,"producerEpoch":1,"transactionTimeoutMs":60000,"transactionStatus":0,'
    '"transactionPartitions":null,"transactionLastUpdateTimestampMs":1800000000000,"transactionStartTimestampMs":-1}}'
)
OLD_COMMIT_KEY = " key: offset_commit::group=billing,partition=bills-7"
CONTROLLERS_START = ' payload: {"type":"PARTITION_CHANGE_RECORD","version":0,"data":{"partitionId":1'
CONTROLLERS = CONTROLLERS_START + ',"topicId":"ywkgJzfISRGP0UN2q1Y88A"}}'
REMOTE_START = " payload: RemotePartitionDeleteMetadata{topicPartition=EsUA7Qt4eRBftGrw8ka-hw:bills-7, "
REMOTE = REMOTE_START + "state=DELETE_PARTITION_MARKED, eventTimestampMs=1800000000000, brokerId=1}"
# The dialect, its topic, a text that is there, and the same text with its rest left out.
DECODED = [
    ("consumer-offsets", "__consumer_offsets", COMMIT, COMMIT_KEY + ' payload: {"version":"3","data":{"offset":90,...}}'),
    ("consumer-offsets", "__consumer_offsets", COMMIT, ' key: {"type":"1",...}'),
    ("consumer-offsets", "__consumer_offsets", OLD_COMMIT_KEY + " payload: offset=1234567,metadata=", OLD_COMMIT_KEY + " payload: off..."),
    ("transaction-state", "__transaction_state", TXN, TXN_KEY + ' payload: {"version":"0",...}'),
    ("cluster-metadata", "__cluster_metadata", CONTROLLERS, CONTROLLERS_START + ",...}}"),
    ("remote-log-metadata", "__remote_log_metadata", REMOTE, REMOTE_START + "...}"),
]  # fmt: skip


def line(offset: int, text: str) -> str:
    return (LINE if text.startswith(" key: ") else KEYLESS) % (offset, text)


def read_lines(folder: Path, *texts: str, topic: str = "") -> Reading:
    lines = [*([SEGMENT % topic] if topic else []), *map(line, range(len(texts)), texts)]
    return read(source, "\n".join([*lines, ""]).encode(), folder)


@pytest.mark.parametrize("names_its_topic", [True, False])
@pytest.mark.parametrize(("dialect", "topic", "whole", "left_out"), DECODED)
def test_records_without_their_sizes_are_read_back_and_the_others_reported(
    dialect: str, topic: str, whole: str, left_out: str, names_its_topic: bool, tmp_path: Path
) -> None:
    found = read_lines(tmp_path, left_out, whole, left_out, topic=topic if names_its_topic else "")
    assert found.column("offset") == [1]
    assert [(row["first_offset"], row["reason"]) for row in found.damage] == [
        (0, "bad_line"),
        (2, "bad_line"),
    ]
    [record] = found.records
    assert record["topic"] == topic
    assert record["value_size_bytes"] == len(record["value"])
    interpret = dialects()[dialect].interpret
    chunk = next(chunk for chunk in chunks(tmp_path) if chunk.records is not None)
    assert interpret is not None
    assert interpret(chunk.records)["decode_error"].to_pylist() == [None]


def chunks(folder: Path) -> list[Chunk]:
    path = folder / "upload"
    file = InputFile(path.name, str(path), path.stat().st_size)
    return [chunk for split in source.split(file, 0, "?", 0, "") for chunk in source.read(split)]


@pytest.mark.parametrize("topic", [topic for _, topic, _, _ in DECODED])
def test_texts_of_which_none_is_there_are_no_records(topic: str, tmp_path: Path) -> None:
    texts = [left_out for _, of, _, left_out in DECODED if of == topic]
    found = read_lines(tmp_path, *texts, topic=topic)
    assert (found.records, len(found.damage)) == ([], len(texts))


def test_the_version_of_a_commit_is_not_guessed_from_a_text_as_long_as_its_bytes(tmp_path: Path) -> None:
    found = read_lines(
        tmp_path, OLD_COMMIT_KEY + " payload: offset=123,metadata=", topic="__consumer_offsets"
    )
    assert found.column("value")[0][:2] == b"\0\3"


@pytest.mark.parametrize("topic", ["bills", ""])
@pytest.mark.parametrize(
    "text",
    [
        ' key: {"type":"order","data":{"id":4}} payload: {"type":"paid",...}',
        ' payload: {"type":"ORDER_RECORD","version":1,"data":{"id":4}}',
        " payload: Error at the till: no paper",
        " payload: Unknown record type in the file",
        " payload: RemoteLogSegments are off",
    ],
)
def test_a_shortened_record_of_another_topic_keeps_its_text(topic: str, text: str, tmp_path: Path) -> None:
    found = read_lines(tmp_path, text, text, topic=topic)
    assert found.damage == []
    _, _, value = text.partition(" payload: ")
    assert found.column("value") == [value.encode()] * 2


def test_a_topic_of_the_users_keeps_what_looks_like_a_decoders_key(tmp_path: Path) -> None:
    text = COMMIT_KEY + ' payload: {"version":"3",...}'
    assert read_lines(tmp_path, text, topic="copied-offsets").column("value") == [b'{"version":"3",...}']


def test_bytes_of_the_printed_size_stay_what_a_client_wrote(tmp_path: Path) -> None:
    key, value = '{"type":"9","data":{}}', "{}"
    line = f"| offset: 0 keySize: {len(key)} valueSize: {len(value)} key: {key} payload: {value}\n"
    found = read(source, f"{SEGMENT % '__consumer_offsets'}\n{line}".encode(), tmp_path)
    assert (found.column("key"), found.damage) == ([key.encode()], [])
