"""Names of files and folders in a share that hides names of uploads: what it must show, and what it must never show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from spark.redaction import Options, Selection, hidden_file, names_of, redact
from spark.redaction.kafka_names import OF_A_BROKER, copy_names, is_of_kafka, plain_folders
from spark.sources.companion.names import BOOTSTRAP, BROKER_CHECKPOINTS, NOT_READ
from tests.generator.segment import Record, segment, segment_name
from tests.spark.whole_pipeline import report_of

DEFAULT = Options(b"salt")
NOBODYS = Options(b"salt", keys=False, names=False)
PRIVATE = ("acme", "Jane", "upload", "payroll")  # what a folder, a file or a topic is called by people


@pytest.mark.parametrize(
    "name",
    [
        "00000000000000000154.log", "00000000000000000154", "00000000000000000154.timeindex", "00000000000000000154.log.deleted",
        "00000000000000000059-0000000001.checkpoint", "acme/orders-0/00000000000000000000.snapshot", "leader-epoch-checkpoint",
    ],
)  # fmt: skip
def test_a_file_that_kafka_names_is_nobodys(name: str) -> None:
    assert is_of_kafka(name)


@pytest.mark.parametrize(
    "name",
    [
        "acme.json", "00000000000000000154.acme.log", "154.log", "00000000000000000154.log.acme", "acme-00000000000000000154.log",
        "00000000000000000154.json", "Jane", "", "acme-checkpoint", "٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠١٥٤.log",
    ],
)  # fmt: skip
def test_any_other_file_is_somebodys(name: str) -> None:
    assert not is_of_kafka(name)


def test_the_files_of_a_broker_are_those_that_are_read() -> None:
    read = {*BROKER_CHECKPOINTS, *NOT_READ, BOOTSTRAP}
    assert read | {"leader-epoch-checkpoint", "partition.metadata", "meta.properties"} == OF_A_BROKER


@pytest.mark.parametrize(
    ("folder", "shown"),
    [
        ("broker-1", "broker-1"),
        ("acme.tgz/acme-prod/broker-1", "broker-1"),
        ("acme/Kafka_2/kafka-logs-1", "Kafka_2/kafka-logs-1"),
        ("broker-1/acme/data", "broker-1/…/data"),
        ("broker-1 (cluster MkU3OEVBNTcwNTJENDM2Qk)", "broker-1"),
        ("acme/broker-1/payroll-0.9f2c-delete", "broker-1/…-delete"),
        ("brokers/1001", "brokers/1001"),
        ("acme", ""),
        ("acme-kafka-0", ""),
        ("broker-acme", ""),
        ("broker-1-acme", ""),
        ("broker-49151234567", ""),
        ("4915123", ""),
        ("10-1-2-3", ""),
        ("broker-1-2", ""),
        ("jane.doe", ""),
        ("2026-11-21", ""),
        (".", ""),
    ],
)
def test_a_folder_is_shown_if_it_is_only_words_of_a_cluster_and_one_number(folder: str, shown: str) -> None:
    assert plain_folders(folder) == shown


def test_copies_with_the_same_readable_folders_are_told_apart_by_their_places() -> None:
    names = copy_names(["acme/data", "acme/broker-2", "jane/data", "jane"])
    assert list(names.values()) == ["copy 1 of 4: data", "broker-2", "copy 3 of 4: data", "copy 4 of 4"]


def replicas(folder: Path, *names: str) -> tuple[Path, dict[str, Any]]:
    """Results of replicas of one partition, the last with a changed bit; their report."""
    whole = segment([Record(b"k%d" % number, b"hunter2") for number in range(9)])
    for number, name in enumerate(names, 1):
        partition = folder / "upload" / name / "payroll-0"
        partition.mkdir(parents=True)
        bit = len(whole) - 3
        data = whole if number < len(names) else whole[:bit] + bytes([whole[bit] ^ 1]) + whole[bit + 1 :]
        (partition / segment_name(0)).write_bytes(data)
        (partition / "leader-epoch-checkpoint").write_text("0\n1\n0 0\n")
    return folder / "results", report_of(folder / "upload", folder / "results")


def told(folder: Path, results: Path, options: Options) -> tuple[dict[str, Any], str]:
    """The report of a share, and everything in its tables and report as text."""
    document = redact(results, folder / "share", options, Selection())
    tables = [pq.read_table(path).to_pylist() for path in sorted((folder / "share").rglob("*.parquet"))]
    return document, json.dumps(document, ensure_ascii=False) + repr(tables)


def test_a_share_says_which_replica_and_which_segment_is_corrupt(tmp_path: Path) -> None:
    results, _ = replicas(tmp_path, "acme-prod/broker-1", "acme-prod/broker-2")
    document, everything = told(tmp_path, results, DEFAULT)
    (corrupt,) = [finding for finding in document["findings"] if finding["detector"] == "crc-mismatch"]
    assert corrupt["replica"] == "broker-2"
    assert "(replica broker-2)" in corrupt["title"]
    assert f"byte 0 of {segment_name(0)}" in corrupt["explanation"]
    assert f"broker-2/payroll-0/{segment_name(0)}" in {file["name"] for file in document["files"]}
    assert set(document["coverage"]["copies_per_partition"]["payroll-0"]) == {"broker-1", "broker-2"}
    assert "acme" not in everything


def test_a_hidden_file_says_of_how_many_it_is(tmp_path: Path) -> None:
    assert (hidden_file(2, 5), hidden_file(1, 1)) == ("file 2 of 5", "the input file")
    (tmp_path / "upload").mkdir()
    line = '{"topic":"payroll","partition":0,"offset":%d,"ts":1,"key":"a","payload":"b"}\n'
    for offset, name in enumerate(("acme-a.json", "acme-b.json")):
        (tmp_path / "upload" / name).write_text(line % offset)
    report_of(tmp_path / "upload", tmp_path / "results")
    document, everything = told(tmp_path, tmp_path / "results", DEFAULT)
    assert [file["name"] for file in document["files"]] == ["file 1 of 2", "file 2 of 2"]
    assert "acme" not in everything


def test_a_numbered_replica_has_one_name_in_titles_and_elsewhere(tmp_path: Path) -> None:
    results, _ = replicas(tmp_path, "acme-prod", "acme-test")
    document, _ = told(tmp_path, results, DEFAULT)
    (corrupt,) = [finding for finding in document["findings"] if finding["detector"] == "crc-mismatch"]
    assert corrupt["replica"] == "replica 2 of 2"
    assert "payroll-0 (replica 2 of 2)" in corrupt["title"]


@pytest.mark.parametrize("options", [DEFAULT, NOBODYS], ids=["default", "nothing shown"])
def test_a_share_never_shows_a_name_that_people_gave_and_no_checksum_of_hidden_bytes(
    tmp_path: Path, options: Options
) -> None:
    results, report = replicas(tmp_path, "acme-prod/broker-1", "Jane Doe", "acme-prod")
    (corrupt,) = [finding for finding in report["findings"] if finding["detector"] == "crc-mismatch"]
    checksums = [
        checksum
        for block in corrupt["typed"]["explanation"]
        for segment in block["segments"]
        if segment.get("kind") == "hash"
        for checksum in segment["text"].split(", ")
    ]
    document, everything = told(tmp_path, results, options)
    hidden = [name for name in PRIVATE if name != "payroll" or not options.names]
    assert len(checksums) == 2
    (shared,) = [finding for finding in document["findings"] if finding["detector"] == "crc-mismatch"]
    assert (
        "The batch does not match its stored checksum (CRC-32C, stored and computed: [hidden]). Its 9 records"
        in shared["explanation"]
    )
    assert [name for name in (*hidden, *checksums, "hunter2") if name.lower() in everything.lower()] == []
    names = set(names_of(results, options).copies.values()) - {"", "?"}
    assert len(names) == 3
    assert "broker-1" in names
    assert all(name == "broker-1" or name.startswith("replica ") for name in names)
    assert {finding["replica"] for finding in document["findings"] if finding["replica"]} <= names
