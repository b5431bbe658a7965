"""Prints of segments that are in the same input."""

from __future__ import annotations

from spark.sources import InputFile, Recognition, sources
from spark.stages.overlaps import SEGMENTS_INSTEAD, without_prints_of_segments
from spark.stages.pasted import PlannedFile


def file(name: str, source: str) -> PlannedFile:
    upload = InputFile(name, name, 1)
    return PlannedFile(upload, upload, sources()[source], {source: Recognition(True, "")})


SEGMENT = file("orders-0/00000000000000000000.log", "log-segment")


def kept(*files: PlannedFile) -> list[str | None]:
    """Ids of the sources that read the files."""
    return [one.source.id if one.source else None for one in without_prints_of_segments(files)]


def test_a_print_beside_the_segments_it_is_of_is_left_out_and_says_why() -> None:
    printed = file("orders-0.decoded.txt", "dump-log-text")
    assert kept(SEGMENT, printed) == ["log-segment", None]
    _, left_out = without_prints_of_segments([SEGMENT, printed])
    assert left_out.answers[SEGMENTS_INSTEAD].why == "the segments of orders-0 are in the input"


def test_a_print_of_another_partition_is_read() -> None:
    assert kept(SEGMENT, file("orders-1.txt", "dump-log-text")) == ["log-segment", "dump-log-text"]


def test_so_is_one_without_segments() -> None:
    assert kept(file("orders-0.txt", "dump-log-text")) == ["dump-log-text"]


def test_an_export_is_no_print_of_segments() -> None:
    assert kept(SEGMENT, file("orders-0.json", "kcat-json")) == ["log-segment", "kcat-json"]
