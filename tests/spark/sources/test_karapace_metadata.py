import random
from pathlib import Path

import pytest

from spark.sources import Chunk, InputFile
from spark.sources.karapace_metadata import source
from tests.generator import karapace
from tests.spark.sources.export_samples import JOURNAL

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "karapace"
DATA = karapace.version_3_data(JOURNAL)
METADATA = karapace.version_3_metadata(JOURNAL, DATA)


def chunk(content: bytes, folder: Path) -> Chunk:
    path = folder / "orders.metadata"
    path.write_bytes(content)
    file = InputFile(path.name, str(path), len(content))
    (split,) = source.split(file, 0, "?", 0, "")
    (found,) = source.read(split)
    return found


@pytest.mark.parametrize("end", [b"", b"\n"], ids=["bare", "with a line feed"])
def test_settings_and_checksums_are_properties(tmp_path: Path, end: bytes) -> None:
    found = chunk(METADATA + end, tmp_path)
    rows = found.others["properties"].to_pylist()
    named = {row["name"]: row["value"] for row in rows}
    assert {row["topic"] for row in rows} == {"orders"}
    assert named["cleanup.policy"] == "compact"
    assert named["karapace.checksum orders:3.data"] == karapace.digest(DATA).hex()
    assert named["karapace.offsets orders:3.data"] == "10 22"
    assert found.note is not None
    assert "cleanup.policy compact" in found.note


def test_every_cut_is_said_and_nothing_raises(tmp_path: Path) -> None:
    for size in range(len(METADATA)):
        found = chunk(METADATA[:size], tmp_path)
        assert not found.others
        assert "unreadable" in (found.note or "")


def test_changed_bytes_never_raise(tmp_path: Path) -> None:
    draw = random.Random(1)
    for _ in range(300):
        changed = bytearray(METADATA)
        changed[draw.randrange(len(changed))] = draw.randrange(256)
        assert chunk(bytes(changed), tmp_path).note


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real backups is not beside the repository")
def test_real_metadata(tmp_path: Path) -> None:
    files = sorted(CORPUS.rglob("*.metadata"))
    assert files
    for path in files:
        found = chunk(path.read_bytes(), tmp_path)
        assert "cleanup.policy delete" in (found.note or "")
