"""pasted_cases.py CORPUS FOLDER: the pasted prints of the corpus as a case for the judge, its one wrong count left out.

105-debezium-history-values.txt has four whole documents, each with a statement of its own; its truth counts two.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

WRONG = {"105-debezium-history-values.txt"}


def main(corpus: Path, folder: Path) -> None:
    """Links to the prints, and their truth."""
    source = corpus / "pasted"
    if not source.is_dir():
        return
    folder.mkdir(parents=True)
    for path in source.iterdir():
        if path.name != "case.json":
            (folder / path.name).symlink_to(path.resolve())
    case = json.loads((source / "case.json").read_text(encoding="utf-8"))
    for variant in case["variants"]:
        if WRONG.intersection(variant["inspect"]):
            variant.pop("total", None)
    (folder / "case.json").write_text(json.dumps(case), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
