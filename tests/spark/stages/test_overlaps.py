"""Prints of segments that are in the same input."""

from __future__ import annotations

from spark.sources import InputFile, Recognition, sources
from spark.stages.overlaps import SEGMENTS_INSTEAD, Found, without_prints_of_segments


def file(name: str) -> InputFile:
    return InputFile(name, name, 1)


def found(source: str) -> Found:
    return sources()[source], {source: Recognition(True, "")}


SEGMENT = file("orders-0/00000000000000000000.log"), found("log-segment")


def kept(*files: tuple[InputFile, Found]) -> list[str | None]:
    """Ids of the sources that read the files."""
    answers = without_prints_of_segments([one for one, _ in files], [answer for _, answer in files])
    return [source.id if source else None for source, _ in answers]


def test_a_print_beside_the_segments_it_is_of_is_left_out_and_says_why() -> None:
    printed = file("orders-0.decoded.txt"), found("dump-log-text")
    assert kept(SEGMENT, printed) == ["log-segment", None]
    _, (_, answers) = without_prints_of_segments([SEGMENT[0], printed[0]], [SEGMENT[1], printed[1]])
    assert answers[SEGMENTS_INSTEAD].why == "the segments of orders-0 are in the input"


def test_a_print_of_another_partition_is_read() -> None:
    assert kept(SEGMENT, (file("orders-1.txt"), found("dump-log-text"))) == ["log-segment", "dump-log-text"]


def test_so_is_one_without_segments() -> None:
    assert kept((file("orders-0.txt"), found("dump-log-text"))) == ["dump-log-text"]


def test_an_export_is_no_print_of_segments() -> None:
    assert kept(SEGMENT, (file("orders-0.json"), found("kcat-json"))) == ["log-segment", "kcat-json"]
