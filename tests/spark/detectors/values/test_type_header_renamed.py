"""Classes in `__TypeId__` that change their package."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.detectors.values.type_header_renamed import detector
from spark.terms.findings import Finding
from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.log_folders import findings, write

OLD, NEW = b"com.acme.shop.Order", b"com.acme.events.Order"


def found_in(folder: Path, *types: bytes | None, header: bytes = b"__TypeId__") -> list[Finding]:
    """What is found in a log whose records have these types."""
    log = segment(
        [
            Record(b"k%d" % n, b"{}", SOME_TIME_MS + n, [(header, type_)] if type_ else [])
            for n, type_ in enumerate(types)
        ]
    )
    return findings(detector, write(folder / "input", {0: log}), folder / "results")


def test_another_package_from_an_offset_on_is_found(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, OLD, OLD, OLD, NEW, NEW)
    assert (finding.severity, finding.confidence) == ("low", "likely")
    assert (finding.first_offset, finding.last_offset, finding.evidence) == (3, 4, [2, 3])
    assert finding.event == "poison:journal-0:3"


def test_other_types_beside_it_do_not_matter(tmp_path: Path) -> None:
    assert found_in(tmp_path, OLD, b"com.acme.shop.Paid", OLD, OLD, NEW, b"com.acme.shop.Paid")


@pytest.mark.parametrize(
    "types",
    [
        [OLD] * 5,
        [OLD, OLD, OLD, b"com.acme.shop.Paid"],
        [OLD, NEW, OLD, NEW, OLD],
        [OLD, OLD, OLD, NEW, OLD],
        [OLD, OLD, NEW, NEW],
        [b"order"] * 3 + [b"shop.order"],
        [b"order"] * 3 + [b"order-v2"],
        [None] * 5,
    ],
    ids=[
        "one",
        "another class",
        "in turns",
        "comes back",
        "too few",
        "a token before",
        "tokens",
        "no header",
    ],
)
def test_innocent(types: list[bytes | None], tmp_path: Path) -> None:
    assert found_in(tmp_path, *types) == []


def test_another_header_is_innocent(tmp_path: Path) -> None:
    assert found_in(tmp_path, OLD, OLD, OLD, NEW, header=b"type") == []
