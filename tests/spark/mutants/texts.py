"""Texts to begin with: what tools print and export, pasted or not; real ones as far as they are there."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

from tests.spark.mutants.changes import changed
from tests.spark.mutants.folders import CORPUS
from tests.spark.sources._wrapping.wrappings import prints
from tests.spark.sources.export_samples import SAMPLES
from tests.spark.sources.prints_of_tools import PRINTS
from tests.spark.sources.test_pasted_layouts_hostile import SAMPLES as PASTED

MAX_BYTES = 30_000
FOLDERS = ("pasted", "brokers/text-layouts/text", "kafka/text-dumps", "karapace", "apicurio")


@cache
def real() -> dict[str, bytes]:
    """Texts by a name that their extension ends."""
    found = {name: made() for name, (_, made) in SAMPLES.items()}
    found |= {
        f"{layout}-{number}.txt": text.encode()
        for layout, texts in PRINTS.items()
        for number, text in enumerate(texts)
    }
    found |= {f"{layout}.txt": content for layout, (content, _) in PASTED.items()}
    found |= {f"{name}.txt": content for name, content in prints().items()}
    found |= {path.name: path.read_bytes() for folder in FOLDERS for path in files_of(CORPUS / folder)}
    return {name: content for name, content in found.items() if len(content) <= MAX_BYTES}


def files_of(folder: Path) -> list[Path]:
    """Texts in a folder, nothing where it is not there."""
    wanted = {".txt", ".json", ".ndjson", ".html", ".log"}
    return sorted(path for path in folder.glob("*") if path.suffix in wanted and path.name != "case.json")


def mutated(random: Random, mutant: int) -> dict[str, bytes]:
    """One text changed, in a folder of its own, once in a while with another beside it."""
    names = random.choices(list(real()), k=random.choice((1, 1, 1, 2)))
    return {
        f"text-{mutant}/{name}": changed(random, name.replace(".log", ".txt"), real()[name]) for name in names
    }
