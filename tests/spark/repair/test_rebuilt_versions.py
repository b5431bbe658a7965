"""Versions whose Artifact record a null record took: rebuilt from what is left, or named as missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark.dialects.apicurio_v2.content import read_content
from spark.repair import AddedSchemaFile
from spark.repair.answers import APPEND, Repaired
from spark.repair.inputs import Input
from spark.repair.result import repair
from spark.sources import InputFile
from tests.spark.transaction_logs import CORPUS, NO_CORPUS
from tests.spark.whole_pipeline import report_on

DUMP = CORPUS / "open" / "incident-b-4-repaired-in-place" / "kafkasql-journal.kcat-J.ndjson"
LOST_UNTIL = 79  # from there on somebody had appended what was lost
pytestmark = pytest.mark.skipif(not DUMP.is_file(), reason=NO_CORPUS)


def lines() -> list[bytes]:
    """The dump's records."""
    return DUMP.read_bytes().splitlines(keepends=True)


def offset(line: bytes) -> int:
    """A record's offset."""
    return int(json.loads(line.decode("latin-1"))["offset"])


def lost(folder: Path, *without: int) -> Input:
    """The journal as compaction had left it: two contents gone, and the record of the version fleet/trip/2."""
    path = folder / "lost.json"
    path.write_bytes(
        b"".join(one for one in lines() if offset(one) < LOST_UNTIL and offset(one) not in without)
    )
    report = report_on([InputFile(path.name, str(path), path.stat().st_size)], folder / "lost")
    return Input(report, folder / "lost", "this journal")


def schemas(folder: Path) -> list[AddedSchemaFile]:
    """The texts of the two contents, as files from git."""
    found = []
    for line in lines():
        record = json.loads(line.decode("latin-1"))
        value = (record["payload"] or "").encode("latin-1")
        if record["offset"] >= LOST_UNTIL and value[:2] == b"\x02\x01":
            path = folder / f"{record['offset']}.proto"
            path.write_bytes(read_content(value).content)
            found.append(AddedSchemaFile(path.name, path))
    return found


def mended(folder: Path, broken: Input) -> Repaired:
    """What comes of it."""
    (found,) = repair(broken, [], schemas(folder), report_on, folder / "out").partitions
    return found


def test_a_version_that_only_its_state_names_is_rebuilt(tmp_path: Path) -> None:
    found = mended(tmp_path, lost(tmp_path))
    assert not found.plan.missing
    assert set(found.plan.recovered) == {"fleet/trip/1", "fleet/trip/2", "fleet/vehicle/2023-11"}
    assert found.recommended is not None
    (added,) = [
        one for way in found.ways if way.id == APPEND for one in way.added if one.source.startswith("rebuilt")
    ]
    members = json.loads((added.value or b"")[1:])
    assert (members["globalId"], members["version"], members["artifactType"]) == (6, "2", "PROTOBUF")
    assert members["contentHash"].startswith("8d213030ff1b")
    assert added.timestamp_ms is not None


def test_where_nothing_names_it_the_version_is_missing_and_no_way_is_recommended(tmp_path: Path) -> None:
    found = mended(tmp_path, lost(tmp_path, 26))
    (missing,) = found.plan.missing
    assert missing.entity == "a version with content 6 and globalId 6"
    assert "older dump" in missing.sought
    assert found.recommended is None


def test_where_its_content_is_gone_as_well_the_version_is_missing_by_its_name(tmp_path: Path) -> None:
    found = mended(tmp_path, lost(tmp_path, 23))
    (missing,) = found.plan.missing
    assert missing.entity == "version fleet/trip/2"
    assert found.recommended is None
