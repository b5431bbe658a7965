"""Protobuf descriptors beside a journal: known by parsing, kept whole, and what they lack is said."""

from __future__ import annotations

import base64
import random
from pathlib import Path

import pytest

from spark.sources import InputFile
from spark.sources.protobuf_descriptors import source
from spark.stages.plan import recognise
from tests.spark.sources.schema_files import MONEY, ORDER, SHOP, deep_descriptors, descriptors, file, message


def written(folder: Path, content: bytes, name: str = "shop.desc") -> InputFile:
    path = folder / name
    path.write_bytes(content)
    return InputFile(name, str(path), len(content))


@pytest.mark.parametrize("name", ["shop.desc", "shop.pb", "SHOP.PROTOSET", "shop.binpb"])
def test_a_set_is_recognised_by_parsing_it(name: str, tmp_path: Path) -> None:
    found, answers = recognise(written(tmp_path, SHOP, name))
    assert found is source
    assert "3 Protobuf messages: shop.Money, shop.Line, shop.Order." in answers["protobuf-descriptors"].why


def test_a_missing_import_is_said(tmp_path: Path) -> None:
    why = source.recognise(written(tmp_path, descriptors(ORDER)), b"").why
    assert "It lacks money.proto" in why
    assert "--include_imports" in why


def test_what_every_library_has_is_not_missing(tmp_path: Path) -> None:
    moment = file("m.proto", message("Moment"), imports=("google/protobuf/timestamp.proto",))
    assert "lacks" not in source.recognise(written(tmp_path, descriptors(moment)), b"").why


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"plain text",
        bytes(100),
        descriptors(file("empty.proto")),
        MONEY.SerializeToString(),
        b"\x0a\xff\xff\xff\x7f",
    ],
    ids=["nothing", "text", "zeros", "no message", "one file alone", "a claim of 256 MB"],
)
def test_other_bytes_are_no_set(content: bytes, tmp_path: Path) -> None:
    assert not source.recognise(written(tmp_path, content), content).matches


def test_a_set_of_another_name_is_not_asked_for(tmp_path: Path) -> None:
    assert not source.recognise(written(tmp_path, SHOP, "shop.bin"), SHOP).matches


def test_a_set_that_nests_too_deeply_is_refused(tmp_path: Path) -> None:
    assert not source.recognise(written(tmp_path, deep_descriptors(5000)), b"").matches


def test_changed_and_cut_bytes_never_raise(tmp_path: Path) -> None:
    draw = random.Random(7)
    for number in range(400):
        changed = bytearray(SHOP[: len(SHOP) - number % 40])
        changed[draw.randrange(len(changed))] = draw.randrange(256)
        assert source.recognise(written(tmp_path, bytes(changed)), b"").why


def test_its_bytes_are_kept_as_base64(tmp_path: Path) -> None:
    (split,) = source.split(written(tmp_path, SHOP), 0, "?", 0, "")
    (chunk,) = source.read(split)
    (row,) = chunk.others["properties"].to_pylist()
    assert (row["name"], base64.b64decode(row["value"])) == ("shop.desc", SHOP)
