"""Where files belong: partitions, copies of them, brokers, clusters."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from spark.stages.partition_folders import find_replicas
from spark.stages.plan import plan_inputs
from spark.tables.store import ResultTables
from tests.generator.segment import Record, batch
from tests.spark.log_folders import inputs, planned, tables_of

SEGMENT = "00000000000000000000.log"
BATCH = batch([Record(b"key", b"value")])


def replicas(*names: str) -> list[str]:
    return [place.replica for place in find_replicas(names)]


def put(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize(
    ("folder", "topic", "partition"),
    [
        ("my.topic-with-dashes_and.dots-12", "my.topic-with-dashes_and.dots", 12),
        ("a-0-1", "a-0", 1),
        ("__consumer_offsets-49", "__consumer_offsets", 49),
        ("orders-0.0f2b1c-delete", "orders", 0),
        ("orders-3.delete-0", "orders-3.delete", 0),
        ("orders-007", "?", 0),
        ("orders-99999999999", "?", 0),
        ("-0", "?", 0),
        ("orders", "?", 0),
    ],
)
def test_a_folder_names_its_partition(folder: str, topic: str, partition: int) -> None:
    [place] = find_replicas([f"{folder}/{SEGMENT}"])
    assert (place.topic, place.partition, place.replica) == (topic, partition, "")


@pytest.mark.parametrize(
    "file", [SEGMENT, f"{SEGMENT[:-4]}.txt", "leader-epoch-checkpoint", "partition.metadata"]
)
def test_a_file_of_kafka_s_naming_shows_that_a_folder_is_a_partition_s(file: str) -> None:
    assert {place.topic for place in find_replicas([f"t-4/{file}", "t-4/notes.json"])} == {"t"}


def test_a_folder_of_dumps_is_no_partition_whatever_its_name(tmp_path: Path) -> None:
    line = b"CreateTime:1700000000000\tOffset:%d\tkey-%d\t%s\n"
    names = ("configs", "offsets", "status")
    dumps = {f"connect-410/{n}.txt": b"".join(line % (i, i, n.encode()) for i in range(9)) for n in names}
    found = planned(put(tmp_path, dumps))
    assert {(split.topic, split.partition) for split in found.splits} == {("?", 0)}
    assert {split.replica for split in found.splits} == set(dumps)


def test_a_command_names_the_topic_before_a_folder_does(tmp_path: Path) -> None:
    print_ = b"$ kafka-console-consumer.sh --topic orders --partition 3 --from-beginning --property print.offset=true\n"
    lines = b"".join(b"Offset:%d\tkey\tvalue\n" % offset for offset in range(9))
    folder = put(tmp_path / "in", {f"t-4/{SEGMENT[:-4]}.txt": print_ + lines})
    found = plan_inputs(inputs(folder), {}, scratch=tmp_path / "prints")
    assert {(split.topic, split.partition) for split in found.splits} == {("orders", 3)}


@pytest.mark.parametrize("mark", ["delete", "future", "stray"])
def test_a_leftover_folder_is_a_copy_of_its_own(mark: str) -> None:
    leftover = f"data/orders-0.0f2b1c-{mark}"
    assert replicas(f"data/orders-0/{SEGMENT}", f"{leftover}/{SEGMENT}") == ["", leftover]


def test_a_leftover_folder_does_not_make_replicas_of_the_live_ones() -> None:
    names = [f"b1/t-0/{SEGMENT}", f"b2/t-0/{SEGMENT}", f"b2/t-0.0f-stray/{SEGMENT}"]
    assert replicas(*names) == ["b1", "b2", "b2/t-0.0f-stray"]


def test_brokers_may_be_nested_differently() -> None:
    names = [f"a/broker-1/kafka/t-0/{SEGMENT}", f"broker-2/t-0/{SEGMENT}", f"t-0/{SEGMENT}"]
    assert replicas(*names) == ["a/broker-1/kafka", "broker-2", "t-0"]


def test_a_broker_s_own_files_carry_the_name_of_its_partitions() -> None:
    names = [f"b{n}/{file}" for n in (1, 2) for file in (f"t-0/{SEGMENT}", "meta.properties")]
    assert replicas(*names) == ["b1", "b1", "b2", "b2"]
    assert replicas(*names[:2]) == ["", ""]


def test_loose_segments_of_different_folders_are_kept_apart() -> None:
    names = [f"x/{SEGMENT}", "x/leader-epoch-checkpoint", f"y/{SEGMENT}", "y/dump.json", "dump.json"]
    assert replicas(*names) == ["x", "x", "y", "", ""]


def test_loose_segments_of_one_folder_are_one_log_with_their_companions() -> None:
    names = [SEGMENT, "00000000000000000009.log", "leader-epoch-checkpoint"]
    assert {(place.topic, place.partition, place.replica) for place in find_replicas(names)} == {("?", 0, "")}


def test_names_that_differ_in_case_are_different_topics() -> None:
    assert [place.topic for place in find_replicas([f"T-0/{SEGMENT}", f"t-0/{SEGMENT}"])] == ["T", "t"]
    assert replicas(f"T-0/{SEGMENT}", f"t-0/{SEGMENT}") == ["", ""]


def test_folders_of_two_clusters_are_said_to_be(tmp_path: Path) -> None:
    files = {}
    for number, cluster in enumerate((b"one", b"two"), 1):
        files[f"b{number}/t-0/{SEGMENT}"] = BATCH
        files[f"b{number}/meta.properties"] = b"broker.id=%d\ncluster.id=%s\n" % (number, cluster)
    found = planned(put(tmp_path, files))
    assert {row["replica"] for row in found.files} == {"b1 (cluster one)", "b2 (cluster two)"}
    assert all("not compared" in row["note"] for row in found.files)


def test_folders_of_one_cluster_are_replicas(tmp_path: Path) -> None:
    files = {f"b{n}/t-0/{SEGMENT}": BATCH for n in (1, 2)}
    files |= {f"b{n}/meta.properties": b"cluster.id=one\n" for n in (1, 2)}
    found = planned(put(tmp_path, files))
    assert {row["replica"] for row in found.files} == {"b1", "b2"}
    assert not any("not compared" in row["note"] for row in found.files)


def test_checkpoints_join_with_the_partitions_beside_them(tmp_path: Path) -> None:
    checkpoint = b"0\n3\nt 0 1\nonly 0 2\ngone 7 3\n"
    files = {"b1/t-0/" + SEGMENT: BATCH, "b2/t-0/" + SEGMENT: BATCH, "b1/only-0/" + SEGMENT: BATCH}
    files |= {"b1/recovery-point-offset-checkpoint": checkpoint, "b1/t-0.0f-delete/" + SEGMENT: BATCH}
    tables = tables_of(put(tmp_path / "in", files), tmp_path / "out")
    rows = tables.rows('SELECT topic, partition, replica, "offset" FROM checkpoints ORDER BY "offset"')
    assert [tuple(row.values()) for row in rows] == [
        ("t", 0, "b1", 1),
        ("only", 0, "", 2),
        ("gone", 7, "b1", 3),
    ]


def test_a_bad_companion_harms_nothing(tmp_path: Path) -> None:
    files = {
        "t-0/" + SEGMENT: BATCH,
        "t-0/leader-epoch-checkpoint": b"junk",
        "t-0/" + "9" * 20 + ".log": BATCH,
    }
    tables = tables_of(put(tmp_path / "in", files), tmp_path / "out")
    assert tables.rows("SELECT reason, batches_after FROM damage") == [
        {"reason": "bad_companion", "batches_after": False}
    ]
    assert isinstance(tables, ResultTables)


def test_a_data_folder_of_two_hundred_partitions_is_planned_in_seconds(tmp_path: Path) -> None:
    names = ("00000000000000000000.index", "00000000000000000000.timeindex", "00000000000000000001.snapshot", "leader-epoch-checkpoint", "partition.metadata")  # fmt: skip
    folder = put(tmp_path, {f"t-{n}/{name}": b"" for n in range(200) for name in names})
    put(folder, {f"t-{n}/{SEGMENT}": BATCH for n in range(200)})
    planned(put(tmp_path / "warm", {f"t-0/{SEGMENT}": BATCH}))
    started = time.process_time()
    found = planned(folder)
    assert time.process_time() - started < 5
    assert len({(split.topic, split.partition) for split in found.splits}) >= 200


def test_a_snapshot_of_the_controllers_is_a_log_of_its_own() -> None:
    folder = "__cluster_metadata-0"
    names = ["00000000000000000000.log", "00000000000000000059-0000000001.checkpoint"]
    places = find_replicas([*(f"{folder}/{name}" for name in names), "bootstrap.checkpoint"])
    assert [(place.topic, place.partition, place.replica) for place in places] == [
        ("__cluster_metadata", 0, ""),
        ("__cluster_metadata snapshot 59-1", 0, ""),
        ("__cluster_metadata bootstrap", 0, ""),
    ]


def test_a_brokers_folder_that_is_named_like_a_partition_is_none() -> None:
    names = ["broker-1/meta.properties", "broker-1/orders-0/00000000000000000000.log"]
    assert [(place.topic, place.partition) for place in find_replicas(names)] == [("?", 0), ("orders", 0)]
