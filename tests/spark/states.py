"""Replay held against what the real services answered over REST for the same journal (`state.json` of the corpus)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spark.sources import InputFile
from spark.stages.state_at import state_at
from spark.tables import Manifest
from tests.spark.transaction_logs import CORPUS
from tests.spark.whole_pipeline import report_on

TRUTH = {"case.json", "registry-state.json", "state.json", "truth.json"}


def cases(*patterns: str) -> list[str]:
    """Folders of the corpus that hold a `state.json`."""
    return sorted(
        str(path.parent.relative_to(CORPUS))
        for pattern in patterns
        for path in CORPUS.glob(f"{pattern}/state.json")
    )


def files_of(folder: Path, names: list[str]) -> list[InputFile]:
    """The files of the named parts of a case."""
    parts = [folder / name for name in names] or [part for part in folder.iterdir() if part.name not in TRUTH]
    paths = [path for part in sorted(parts) for path in ([part] if part.is_file() else part.rglob("*"))]
    return [
        InputFile(str(p.relative_to(folder)), str(p), p.stat().st_size) for p in sorted(paths) if p.is_file()
    ]


def differences(case: str, results: Path, view: str = "log") -> list[str]:
    """How the replay of a case differs from the real service's answer; empty: not at all."""
    folder = CORPUS / case
    truth = json.loads((folder / "state.json").read_text())
    report_on(files_of(folder, truth.get("inspect") or []), results)
    held = state_at(Manifest.load(results), truth.get("at"), truth.get("profile"), view)
    return list(compared(truth, held))


def compared(truth: dict[str, Any], held: list[dict[str, Any]]) -> Iterator[str]:
    """Entity by entity, for the types that the truth names."""
    types = set(truth.get("types") or {entity["entity_type"] for entity in truth["entities"]})
    want = {name_of(entity): entity.get("attributes", {}) for entity in truth["entities"]}
    have = {name_of(entity): entity["attributes"] for entity in held if entity["entity_type"] in types}
    yield from (f"missing: {' '.join(name)}" for name in sorted(want.keys() - have.keys()))
    if not truth.get("partial"):
        yield from (
            f"not in the real service: {' '.join(name)}" for name in sorted(have.keys() - want.keys())
        )
    for name in sorted(want.keys() & have.keys()):
        for member, value in want[name].items():
            if have[name].get(member) != value:
                yield f"{' '.join(name)}: {member} is {have[name].get(member)!r} instead of {value!r}"


def name_of(entity: dict[str, Any]) -> tuple[str, str]:
    """What tells entities apart."""
    return entity["entity_type"], entity["entity_id"]
