"""`manage.py compare`, as somebody types it: exit codes, stdout, and what it says of two folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.generator.segment import Record, batch
from tests.workers.commands import manage

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "brokers"


def partition(folder: Path, *values: bytes) -> Path:
    (folder / "orders-0").mkdir(parents=True)
    data = b"".join(batch([Record(b"key", value)], offset) for offset, value in enumerate(values))
    (folder / "orders-0" / "00000000000000000000.log").write_bytes(data)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("words", [[], ["one"], ["a", "b", "c"], ["a", "--replicas", "b"]])
def test_anything_but_two_inputs_or_one_with_copies_is_exit_2(words: list[str]) -> None:
    done = manage("compare", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Name two inputs: manage.py compare A B")


@pytest.mark.spark
@pytest.mark.slow
def test_two_folders_that_differ_are_exit_1_and_only_the_document_is_on_stdout(tmp_path: Path) -> None:
    done = manage(
        "compare", "--json", partition(tmp_path / "a", b"1", b"2"), partition(tmp_path / "b", b"1", b"3")
    )
    document = json.loads(done.stdout)
    assert done.returncode == 1
    assert (document["schema"], document["left"], document["right"], document["equal"]) == (
        1,
        "a",
        "b",
        False,
    )
    (found,) = document["partitions"]
    assert (found["relation"], found["first_different"]) == ("different", 1)
    assert [one["kind"] for one in found["ranges"]] == ["equal", "different"]
    (example,) = found["examples"]
    assert (example["left"]["value"], example["right"]["value"], example["differs"]) == ("2", "3", ["value"])


@pytest.mark.spark
@pytest.mark.slow
def test_the_same_log_on_two_brokers_is_exit_0(tmp_path: Path) -> None:
    for broker in ("broker-1", "broker-2"):
        partition(tmp_path / broker, b"1", b"2")
    done = manage("compare", "--replicas", tmp_path)
    assert done.returncode == 0
    assert "contain the same 2 records of orders-0" in done.stdout


@pytest.mark.spark
@pytest.mark.slow
def test_one_copy_of_each_partition_is_exit_2_with_what_to_do(tmp_path: Path) -> None:
    done = manage("compare", "--replicas", partition(tmp_path / "broker-1", b"1"))
    assert done.returncode == 2
    assert "contains only one replica of each partition" in done.stderr


needs_corpus = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus of real journals is not beside the repository"
)


@pytest.mark.spark
@pytest.mark.long
@needs_corpus
def test_a_real_cleaning_by_a_broker_took_nothing_that_must_stay() -> None:
    folder = CORPUS / "compaction-3.9.1"
    done = manage("compare", "--json", folder / "after-1", folder / "after-2")
    (profiles,) = (one for one in json.loads(done.stdout)["partitions"] if one["topic"] == "profiles")
    (cleaned,) = profiles["cleaned"]
    assert cleaned["gone"] == {"superseded": 17, "tombstone": 8}
    assert (cleaned["must_not_be_gone"], cleaned["stayed"]) == (0, 0)


@pytest.mark.spark
@pytest.mark.long
@needs_corpus
def test_what_the_cleaner_of_kafka_13727_took_must_not_have_gone() -> None:
    """2.8.1 removed an ABORT marker whose record stays, and the committed record that the aborted one superseded."""
    folder = CORPUS / "abort-marker-lost-2.8.1"
    done = manage("compare", "--json", folder / "before", folder / "after-2.8.1")
    (ledger,) = (one for one in json.loads(done.stdout)["partitions"] if one["topic"] == "ledger")
    (cleaned,) = ledger["cleaned"]
    assert cleaned["gone_offsets"] == {"newest": [1], "marker_of_data": [7]}
