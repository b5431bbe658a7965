"""Segments that copies changed: each change is undone where a checksum proves it, and named where not."""

from __future__ import annotations

import base64
import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from spark.sources import InputFile
from spark.sources._transfer import CopiedSegment, CopiedSegments, copied
from tests.generator.segment import Record, batch

NAME = "orders-0/00000000000000000000.log"
SEGMENT = b"".join(
    batch(
        [Record(b"key %d" % n, b'{"line":"1\r\n2\n3","n":%d}' % n)],
        n,
        producer_id=n,
        producer_epoch=0,
        base_sequence=0,
    )
    for n in range(24)
)
BINARY = b"".join(batch([Record(os.urandom(9), random.Random(n).randbytes(700))], n) for n in range(24))
WHOLE_BYTES = 2_000  # of each: batches that are there to their ends
BANNER = b'Defaulted container "kafka" out of: kafka, exporter\n'


def copy_of(
    content: bytes, folder: Path, name: str = NAME, is_intact_at_start: bool = False
) -> CopiedSegments | None:
    path = folder / "upload"
    path.write_bytes(content)
    return copied(InputFile(name, str(path), len(content)), is_intact_at_start)


def segment_in(
    content: bytes, folder: Path, name: str = NAME, is_intact_at_start: bool = False
) -> CopiedSegment:
    found = copy_of(content, folder, name, is_intact_at_start)
    assert found is not None
    [segment] = found.segments
    return segment


def content_of(segment: CopiedSegment) -> bytes:
    assert segment.content is not None
    return bytes(segment.content)


def causes(segment: CopiedSegment) -> list[tuple[str, bool]]:
    return [(change.cause, change.is_undone) for change in segment.changes]


COMMANDS = [
    *("xxd", "xxd -p", "xxd -g1", "xxd -e", "xxd -c 32", "xxd -a"),
    *("hexdump -C", "hexdump", "hexdump -x"),
    *(
        "od",
        "od -x",
        "od -c",
        "od -b",
        "od -t x1",
        "od -t x4",
        "od -A x -t x1z",
        "od -A d -t x1",
        "od -A d -x",
    ),
    *("base64", "base64 -w0"),
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("content", [SEGMENT, SEGMENT + bytes(5000)], ids=["batches", "reserved zeros"])
def test_a_dump_is_read_as_the_bytes_that_it_prints(command: str, content: bytes, tmp_path: Path) -> None:
    if shutil.which(command.split()[0]) is None:
        pytest.skip(f"{command.split()[0]} is not installed")
    (tmp_path / "segment").write_bytes(content)
    printed = subprocess.run(
        [*command.split(), str(tmp_path / "segment")], capture_output=True, check=True
    ).stdout
    text = (
        b"Here it is:\n$ "
        + command.encode()
        + b" /data/orders-0/00000000000000000000.log\n"
        + printed
        + b"\n$ exit\n"
    )
    segment = segment_in(text, tmp_path, "ticket.txt")
    assert content_of(segment) == content
    assert causes(segment) in ([("hex", True)], [("base64", True)])
    assert segment.command.endswith("/data/orders-0/00000000000000000000.log")


def test_two_dumps_of_one_text_are_two_segments_and_the_rest_is_set_aside(tmp_path: Path) -> None:
    dump = base64.encodebytes(SEGMENT)
    found = copy_of(
        b"$ base64 a.log\n" + dump + b"$ base64 b.log\n" + dump + b"Thanks!\n", tmp_path, "ticket.txt"
    )
    assert found is not None
    assert [content_of(segment) for segment in found.segments] == [SEGMENT, SEGMENT]
    assert [aside.line.text for aside in found.asides] == [b"$ base64 a.log", b"$ base64 b.log", b"Thanks!"]


def test_the_beginning_of_a_dump_is_a_segment_that_is_cut(tmp_path: Path) -> None:
    head = base64.b64encode(SEGMENT)[:90]
    assert content_of(segment_in(head, tmp_path, "ticket.txt")) == SEGMENT[:66]


@pytest.mark.parametrize(
    "content",
    [
        base64.encodebytes(b"AAAA no segment" * 9),
        b"00000000: 6869 0a                                  hi.\n" * 2,
        b"cafe babe\nbeef dead\n",
    ],
    ids=["base64 of text", "a dump of text", "words of hex digits"],
)
def test_a_dump_of_something_else_is_left_as_it_is(content: bytes, tmp_path: Path) -> None:
    assert copy_of(content, tmp_path, "ticket.txt") is None


def test_a_star_does_not_stand_for_more_than_a_segment_may_have(tmp_path: Path) -> None:
    line = b"00000000  " + b" ".join(b"%02x" % byte for byte in SEGMENT[:16]) + b"\n"
    assert copy_of(line + b"*\nffffffffff0\n", tmp_path, "ticket.txt") is None


def test_a_line_of_kubectl_before_a_segment_is_taken_away(tmp_path: Path) -> None:
    segment = segment_in(BANNER + SEGMENT, tmp_path)
    assert content_of(segment) == SEGMENT
    assert causes(segment) == [("text_before", True)]
    assert segment.changes[0].detail == BANNER.decode().strip()
    assert segment.changes[0].changed == len(BANNER)


def test_a_segment_that_begins_within_a_value_has_no_line_before_it(tmp_path: Path) -> None:
    assert copy_of(b'"name":"x"}' + SEGMENT, tmp_path) is None


def test_a_line_behind_a_segment_is_taken_away(tmp_path: Path) -> None:
    segment = segment_in(
        SEGMENT + b"command terminated with exit code 137\n", tmp_path, is_intact_at_start=True
    )
    assert content_of(segment) == SEGMENT
    assert causes(segment) == [("text_after", True)]


def by_ftp(content: bytes) -> bytes:
    return content.replace(b"\n", b"\r\n")


def by_git(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


@pytest.mark.parametrize("change", [by_ftp, by_git])
@pytest.mark.parametrize("original", [SEGMENT, BINARY, SEGMENT[:-30]], ids=["text", "binary", "cut"])
def test_line_ends_are_restored_where_checksums_prove_it(
    change: Callable[[bytes], bytes], original: bytes, tmp_path: Path
) -> None:
    segment = segment_in(change(original), tmp_path)
    assert content_of(segment)[:WHOLE_BYTES] == original[:WHOLE_BYTES]
    assert causes(segment) == [("line_ends", True)]


def test_a_terminal_changes_line_ends_behind_its_banner(tmp_path: Path) -> None:
    segment = segment_in(by_ftp(BANNER + SEGMENT), tmp_path)
    assert content_of(segment) == SEGMENT
    assert causes(segment) == [("text_before", True), ("line_ends", True)]


def test_a_batch_that_is_corrupt_as_well_leaves_the_change_unproven(tmp_path: Path) -> None:
    damaged = bytearray(SEGMENT)
    damaged[len(SEGMENT) // 2] ^= 1
    segment = segment_in(by_ftp(bytes(damaged)), tmp_path)
    assert causes(segment) == [("line_ends", False)]
    assert content_of(segment) == bytes(damaged)


@pytest.mark.parametrize(
    "content", [SEGMENT, batch([Record(b"k", b"a\r\nb")], 0), BINARY], ids=["mixed", "cr lf", "binary"]
)
def test_an_intact_segment_is_not_touched(content: bytes, tmp_path: Path) -> None:
    assert copy_of(content, tmp_path, is_intact_at_start=True) is None


@pytest.mark.parametrize("letters", ["latin-1", "cp437"])
def test_a_segment_written_letter_by_letter_is_restored(letters: str, tmp_path: Path) -> None:
    segment = segment_in(BINARY.decode(letters).encode(), tmp_path, "upload.bin")
    assert content_of(segment) == BINARY
    assert causes(segment) == [("utf_8", True)]


def test_a_redirection_of_powershell_is_named_and_undone_where_no_byte_is_lost(tmp_path: Path) -> None:
    written = by_ftp(SEGMENT).decode("cp437").encode("utf-16")
    segment = segment_in(written, tmp_path, "upload.bin")
    assert content_of(segment) == SEGMENT
    assert causes(segment) == [("utf_16", True), ("line_ends", True)]


@pytest.mark.parametrize(("encoding", "cause"), [("utf-8", "utf_8"), ("utf-16", "utf_16")])
def test_lost_bytes_are_counted_and_nothing_is_made_up(encoding: str, cause: str, tmp_path: Path) -> None:
    text = BINARY.decode(errors="replace")
    segment = segment_in(text.encode(encoding), tmp_path)
    assert segment.content is None
    assert causes(segment) == [(cause, False)]
    assert segment.changes[0].changed == text.count("\ufffd")


@pytest.mark.parametrize("seed", range(40))
def test_no_bytes_make_it_fail(seed: int, tmp_path: Path) -> None:
    noise = random.Random(seed)
    content = bytearray(
        noise.choice([SEGMENT, by_ftp(SEGMENT), BANNER + SEGMENT, base64.encodebytes(SEGMENT)])
    )
    for _ in range(noise.randrange(1, 30)):
        content[noise.randrange(len(content))] = noise.randrange(256)
    copy_of(bytes(content[: noise.randrange(1, len(content))]), tmp_path, is_intact_at_start=bool(seed % 2))
