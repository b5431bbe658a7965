"""The data that the product ships is what the generator writes now."""

from __future__ import annotations

import zipfile

from tests.generator import shipped


def test_the_segment_that_is_read_ahead_is_the_generated_one():
    assert shipped.SEGMENT.read_bytes() == shipped.damaged_segment()


def test_the_sample_archives_hold_the_generated_files():
    for kind, files in shipped.sample_files().items():
        with zipfile.ZipFile(shipped.SAMPLES / f"{kind}.zip") as archive:
            assert {name: archive.read(name) for name in archive.namelist()} == files
