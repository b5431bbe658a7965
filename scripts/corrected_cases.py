"""corrected_cases.py CORPUS FOLDER: cases of the corpus for the judge whose truth has a wrong count, without that count, or
asks that output of a tool is refused which shows a fault.

pasted/105-debezium-history-values.txt  four whole documents, each with a statement of its own; the truth counts two
public-real/08-..., 47-...              bytes 700000-1000000 of a segment: the truth counts 40 to 60 records, but the segment's
                                        own index has 26 whole batches there (offsets 162-187), of one record each
pasted-2/37-..., 38-...                 kafka-topics --describe with "Leader: none": the truth only says that it is no journal
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

WRONG = {
    "105-debezium-history-values.txt",
    "08-segment-begins-within-a-record",
    "47-middle-of-a-segment",
}
COUNTS = ("total", "records")
# File -> what it shows, although it has no record.
SHOWN = {
    "37-topics-describe-consumer-offsets-no-leader.txt": "partition-offline",
    "38-topics-describe-kraft-elr-text.txt": "partition-offline",
}


def main(corpus: Path, folder: Path) -> None:
    public = [corpus / "public-real" / name for name in sorted(WRONG)]
    for source in [corpus / "pasted", corpus / "pasted-2", *public]:
        if source.is_dir():
            copy_case(source, folder / source.name)


def copy_case(source: Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    for path in source.iterdir():
        if path.name != "case.json":
            (folder / path.name).symlink_to(path.resolve())
    case = json.loads((source / "case.json").read_text(encoding="utf-8"))
    for variant in case.get("variants") or [case]:
        if source.name in WRONG or WRONG.intersection(variant["inspect"]):
            drop_counts(variant)
        for name in SHOWN.keys() & set(variant["inspect"]):
            del variant["refuse"]
            variant["expect"] = [{"finding": SHOWN[name]}]
    (folder / "case.json").write_text(json.dumps(case), encoding="utf-8")


def drop_counts(variant: dict[str, Any]) -> None:
    """Removes the counts of records, which are wrong."""
    for name in COUNTS:
        variant.pop(name, None)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
