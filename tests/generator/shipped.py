"""What generated data the product ships: the sample journals and the segment that is read while code is compiled ahead.

`python -m tests.generator.shipped` writes them anew; a test holds the files against what is generated now.
"""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path

from tests.generator import samples
from tests.generator.legacy import message, wrapper
from tests.generator.segment import Record, batch

ROOT = Path(__file__).resolve().parents[2]
SAMPLES, SEGMENT = ROOT / "webapp/journals/samples", ROOT / "spark/entry/damaged_segment.log"


def damaged_segment() -> bytes:
    """Batches, old messages, zeros, a batch that does not end where it says, and a cut tail."""
    records = [Record(b"key", b"value" * 20, headers=[(b"name", None)]), Record(None, None)]
    sound = (
        batch(records, 0)
        + batch(records, 2, codec="lz4")
        + batch([Record(b"\0\0\0\1", b"")], 4, control=True)
    )
    old = message(records[1], 5, 0) + wrapper(records, 6)
    longer = bytearray(batch(records, 10))
    longer[11] += 3
    after_zeros = batch(records, 8) + bytes(longer) + batch(records, 12) + batch(records, 14)[:-5]
    return sound + old + bytes(600) + after_zeros


def sample_files() -> dict[str, dict[str, bytes]]:
    """Of each sample the files, by their path in the archive."""
    with tempfile.TemporaryDirectory() as folder:
        return {
            kind: {path.relative_to(Path(folder) / kind).as_posix(): path.read_bytes() for path in paths}
            for kind, paths in samples.write(Path(folder)).items()
        }


def main() -> None:
    """Write all of it where the product reads it."""
    SEGMENT.write_bytes(damaged_segment())
    for kind, files in sample_files().items():
        with zipfile.ZipFile(SAMPLES / f"{kind}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
