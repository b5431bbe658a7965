"""Which files are log segments."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources import HEAD_BYTES, Recognition
from spark.sources.log_segment import base_offset, source
from tests.generator.segment import Record, batch
from tests.spark.sources.segment_files import input_file

NAMED = "orders-0/00000000000000000042.log"
SOUND = batch([Record(b"key", b"value")], 42)
OLD = bytes.fromhex("000000000000000000000011feb01dbf0000ffffffff00000003313233")


def answer(folder: Path, content: bytes, name: str) -> Recognition:
    return source.recognise(input_file(folder, content, name), content[:HEAD_BYTES])


@pytest.mark.parametrize("name", [NAMED, "dump.bin", "part.log"])
@pytest.mark.parametrize("content", [SOUND, OLD, SOUND + b"rubbish"], ids=["new", "old", "with more"])
def test_a_sound_first_batch_proves_it_whatever_the_name(tmp_path: Path, name: str, content: bytes) -> None:
    assert answer(tmp_path, content, name).matches


def test_a_first_batch_larger_than_the_head_is_read_from_the_file(tmp_path: Path) -> None:
    content = batch([Record(b"key", b"v" * 2 * HEAD_BYTES)])
    assert answer(tmp_path, content, "dump.bin").matches


def test_the_name_is_enough_when_the_beginning_is_damaged(tmp_path: Path) -> None:
    for content in (bytes(4096), b"\xff" * 100 + SOUND, SOUND[:30]):
        assert answer(tmp_path, content, NAMED).matches
        assert not answer(tmp_path, content, "dump.bin").matches


def test_an_empty_segment_is_one_by_its_name_only(tmp_path: Path) -> None:
    assert answer(tmp_path, b"", NAMED).matches
    assert source.split(input_file(tmp_path, b"", NAMED), 0, "orders", 0, "") == []
    assert not answer(tmp_path, b"", "dump.bin").matches


@pytest.mark.parametrize("name", [NAMED, "backup.log"])
def test_text_is_no_segment_whatever_its_name(tmp_path: Path, name: str) -> None:
    text = b'/V2\n{"subject": "orders"}\t{"schema": "..."}\n' * 20
    said = answer(tmp_path, text, name)
    assert not said.matches
    assert "text" in said.why


def test_a_changed_checksum_under_another_name_is_refused(tmp_path: Path) -> None:
    content = bytearray(SOUND)
    content[-1] ^= 1
    assert not answer(tmp_path, bytes(content), "dump.bin").matches


@pytest.mark.parametrize("size", range(len(SOUND) + 1))
def test_no_head_is_too_short_to_judge(tmp_path: Path, size: int) -> None:
    assert answer(tmp_path, SOUND[:size], "dump.bin").matches == (size == len(SOUND))


def test_base_offset_comes_from_the_name() -> None:
    assert base_offset(NAMED) == 42
    assert base_offset("dump.bin") is None
