"""Last values that only mean null, in compacted topics."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from spark.detectors.values.value_means_null import detector
from spark.terms.findings import Finding
from tests.generator.segment import Record, segment
from tests.spark.log_folders import findings, write

SETTINGS = "Topic: journal\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: cleanup.policy={}\n"
Pair = tuple[bytes, bytes | None]
OBJECTS: list[Pair] = [(b"k%d" % n, b'{"id": %d}' % n) for n in range(8)]
CONNECT = b'{"schema":null,"payload":null}'


def found_in(folder: Path, pairs: Sequence[Pair], policy: str = "compact") -> list[Finding]:
    """What is found in a log of these keys and values."""
    files: dict[str | int, bytes] = {0: segment([Record(key, value) for key, value in pairs])}
    files["print/describe.txt"] = SETTINGS.format(policy).encode()
    return findings(detector, write(folder / "input", files), folder / "results")


@pytest.mark.parametrize(
    "null", [b"null", b" null\n", CONNECT, b'{"schema": null, "payload": null}', b'""', b""]
)
def test_each_shape_of_null_is_found(null: bytes, tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, [*OBJECTS, (b"k1", null), (b"k2", null)])
    assert (finding.severity, finding.evidence) == ("medium", [8, 9])
    assert "2 keys of journal-0 are never deleted by compaction" in finding.title


@pytest.mark.parametrize(
    ("pairs", "policy"),
    [
        ([(b"k1", b"null"), (b"k2", b"null")], "delete"),
        ([(b"k1", b"null")], "compact"),
        ([(b"k1", None), (b"k2", None)], "compact"),
        ([(b"k1", b"null"), (b"k2", b"null"), (b"k1", b'{"id": 1}'), (b"k2", None)], "compact"),
        ([(b"k1", b'"a"'), (b"k2", b'"b"')], "compact"),
    ],
    ids=["not compacted", "a single one", "tombstones", "superseded", "texts"],
)
def test_innocent(pairs: list[Pair], policy: str, tmp_path: Path) -> None:
    assert found_in(tmp_path, [*OBJECTS, *pairs], policy) == []


def test_a_topic_of_scalars_may_contain_null(tmp_path: Path) -> None:
    scalars = [(b"k%d" % n, b"%d" % n) for n in range(8)]
    assert found_in(tmp_path, [*scalars, (b"k1", b"null"), (b"k2", b"null")]) == []
