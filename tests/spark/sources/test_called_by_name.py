"""Files and folders of other programs, cut records and logs between other text are called by their names."""

from __future__ import annotations

import struct

import crc32c
import pytest

from spark.sources import InputFile
from spark.sources._not_a_journal import Identified, identify
from spark.sources._not_a_journal.folders import identify_folder


def called(content: bytes, name: str = "upload") -> Identified:
    known = identify(InputFile(name, name, len(content)), content)
    assert known is not None
    return known


def redpanda_batch() -> bytes:
    """The header of `model::record_batch_header` as `storage/record_batch_utils.cc` packs it."""
    rest = struct.pack("<iqbIhiqqqhii", 61, 0, 1, 7, 0, 0, 1707350400000, 1707350400000, -1, -1, -1, 1)
    return struct.pack("<I", crc32c.crc32c(rest)) + rest


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (redpanda_batch(), "Redpanda"),
        (b"ZKLG\0\0\0\2" + bytes(16), "a transaction log of ZooKeeper"),
        (b"ZKSN\0\0\0\2" + bytes(16), "a snapshot of ZooKeeper"),
        (b"\xac\xed\0\5t\0\1a", "a serialized Java object"),
    ],
    ids=["redpanda", "zookeeper log", "zookeeper snapshot", "java"],
)
def test_binary_files_are_known_by_their_first_bytes(content: bytes, what: str) -> None:
    known = called(content)
    assert what in known.description
    assert known.holds == "cannot be read" or "Java" in what or "ZooKeeper" in what


def test_a_redpanda_batch_whose_header_is_damaged_is_none() -> None:
    damaged = bytearray(redpanda_batch())
    damaged[20] ^= 1
    assert identify(InputFile("upload", "upload", len(damaged)), bytes(damaged)) is None


@pytest.mark.parametrize(
    ("names", "folder", "what"),
    [
        (
            ["rp/pid.lock", "rp/redpanda/controller/0_0/0-1-v1.log", "rp/kafka/orders/0_14/0-1-v1.log"],
            "rp",
            "a data directory of Redpanda",
        ),
        (["zk/version-2/log.1", "zk/version-2/snapshot.0", "zk/myid"], "zk", "a data directory of ZooKeeper"),
        (
            ["state/app/0_0/.checkpoint", "state/app/0_0/rocksdb/counts/CURRENT"],
            "state",
            "a state directory of Kafka Streams",
        ),
        (["lake/_delta_log/00000000000000000000.json", "lake/x.parquet"], "lake", "a table of Spark"),
        (
            ["out/day=1/part-00000-6f1c1b0e-2d8a-4c7e-9d2b-1f2e3d4c5b6a-c000.snappy.parquet", "out/_SUCCESS"],
            "out",
            "a table that Spark wrote",
        ),
        (["cp/offsets/0", "cp/commits/0", "cp/metadata"], "cp", "a checkpoint of Spark Structured Streaming"),
        (
            [
                "remote/orders-x/0/00000000000000000023-abc.rsm-manifest",
                "remote/orders-x/0/00000000000000000023-abc.log",
            ],
            "remote",
            "a folder of tiered storage",
        ),
    ],
    ids=["redpanda", "zookeeper", "streams", "delta", "part files", "checkpoint", "tiered"],
)
def test_a_folder_is_named_as_a_whole(names: list[str], folder: str, what: str) -> None:
    known = identify_folder(names)
    assert known is not None
    assert known[0].startswith(folder)
    assert known[1].description.startswith(what)


def test_a_folder_of_dumps_is_no_other_programs() -> None:
    assert identify_folder(["orders-0/00000000000000000000.log", "notes.txt", "orders.json"]) is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            '{"state":"FAILED","trace":"org.apache.kafka.connect.errors.ConnectException: x\\n\\tat org.apache.kafka.A.b(A.java:1)',
            "a truncated record of Connect's status topic",
        ),
        (
            '{"subject":"s","version":1,"id":1,"schema":"{\\"type\\"',
            "a truncated record of a schema registry's journal (a schema)",
        ),
        ('{"keytype":"SCHEMA","subject":"s', "a truncated key of a schema registry's journal"),
        (
            '{ "source" : {"server":"db"}, "position" : {"ts_sec":1}, "ddl" : "CREATE TAB',
            "a truncated record of a Debezium schema history",
        ),
        (
            '{"statement":"CREATE STREAM a (b INT)","streamsProperties":{"a"',
            "a truncated record of a ksqlDB command topic",
        ),
        ('{"topic":"orders","partition":0,"offset":7,"ts":17', "a truncated line of kcat -J"),
    ],
)
def test_a_cut_record_of_a_journal_is_no_stack_trace(text: str, what: str) -> None:
    known = called(text.encode())
    assert known.description == what
    assert known.holds == "contains no complete record"


@pytest.mark.parametrize(
    ("line", "stated"),
    [
        (
            "WARN Found a corrupted index file due to requirement failed: Corrupt index found, index file (/data/orders-2/00000000000000000009.index) has",
            "orders-2 has a corrupt index",
        ),
        (
            "[2024-02-08 00:00:00,001] INFO [Log partition=orders-2, dir=/data] Truncating to offset 57 (kafka.log.Log)",
            "orders-2 was truncated to offset 57",
        ),
        (
            "[2024-02-08 00:00:00,001] INFO [UnifiedLog partition=orders-2, dir=/data] Truncating to 57 (kafka.log.UnifiedLog)",
            "orders-2 was truncated to offset 57",
        ),
        (
            "[2024-02-08 00:00:00,001] ERROR [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Found invalid messages during fetch for partition "
            "orders-2 offset 57 (kafka.server.ReplicaFetcherThread)",
            "orders-2 has a corrupt record at offset 57",
        ),
    ],
)
def test_a_brokers_log_in_a_page_says_which_partitions_it_calls_damaged(line: str, stated: str) -> None:
    text = (
        "# What happened\n\nWe saw this after the power failure, see below.\n\n{code}\n"
        + line
        + "\n{code}\nAny idea?\n"
    )
    known = called((text + "[2024-02-08 00:00:00,002] INFO x (kafka.log.Log)\n").encode())
    assert known.description == "a log of a Kafka broker"
    assert stated in known.also


def test_a_truncation_that_changes_nothing_is_not_repeated() -> None:
    line = "[2024-02-08 00:00:00,001] INFO [Log partition=orders-2, dir=/data] Truncating to 57 has no effect as the largest offset in the log is 56 (kafka.log.Log)\n"
    assert called(line.encode()).also == ""


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("src/App.java", "source code (Java)"),
        ("a.py", "source code (Python)"),
        ("Dockerfile", "instructions for a build"),
    ],
)
def test_source_code_is_known_by_its_name(name: str, what: str) -> None:
    assert called(b"public class App {}\n", name).description == what
