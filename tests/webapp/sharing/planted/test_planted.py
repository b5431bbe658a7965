"""A unique secret in each place where data can stand: what a share hides is in none of its answers, what it shows is in one."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.test import Client

from spark.dialects import dialects
from spark.redaction import Options, Selection, redact
from spark.sources import sources
from tests.generator.segment import segment
from tests.spark.log_folders import inputs
from tests.spark.whole_pipeline import report_on
from tests.webapp.sharing.planted import in_forms, in_layouts
from tests.webapp.sharing.planted.answers import answers, everything, stored_in
from tests.webapp.sharing.planted.in_dialects import DIALECTS, journal
from tests.webapp.sharing.planted.in_layouts import COMMANDS, LAYOUTS
from tests.webapp.sharing.planted.levels import (
    DEFAULT,
    LEVELS,
    Level,
    hidden,
    named,
    readable,
    some_levels,
    title,
)
from tests.webapp.sharing.planted.marks import Planting, marks_in
from webapp.sharing.models import Share

pytestmark = pytest.mark.django_db


SAMPLE, SAMPLED = (
    ("plain", "kcat-json"),
    4,
)  # uploads in each run, and records, keys and entities that are opened of each
Upload = tuple[dict[str, bytes], dict[str, str]]  # files, and what each topic is read as


def of_dialect(planting: Planting) -> Upload:
    """A segment with the dialect's journal, below a folder of the upload."""
    topic, copy = planting.mark("topic", "topic"), planting.mark("file", "folder above the topic")
    log = segment(journal(planting))
    return {f"{copy}/{topic}-0/00000000000000000000.log": log}, {topic: planting.of.split("/")[0]}


def of_forms(planting: Planting) -> Upload:
    """Keys and values in all forms."""
    topic = planting.mark("topic", "topic")
    return in_forms.upload(planting, topic), {topic: "plain"}


UPLOADS: dict[str, Callable[[Planting], Upload]] = {
    **dict.fromkeys(DIALECTS, of_dialect),
    "forms": of_forms,
    **dict.fromkeys(LAYOUTS, lambda planting: (in_layouts.upload(planting), {})),
}


def inspected_upload(of: str, folder: Path) -> Planting:
    """The results of an inspection of an upload, in `folder/results`, and what is planted in it."""
    planting = Planting(of)
    files, read_as = UPLOADS[of](planting)
    for name, content in files.items():
        path = folder / "upload" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    found = [replace(file, command=COMMANDS.get(file.name, "")) for file in inputs(folder / "upload")]
    report = report_on(found, folder / "results", read_as)
    assert of not in LAYOUTS or of in {file["layout"] for file in report["files"]}
    return planting


def stored_faults(results: Path, target: Path, planting: Planting, level: Level) -> list[str]:
    """What lies in the files of a share and should not, however it is asked for."""
    redact(results, target, Options(b"salt", **level), Selection())
    secret, leaks = hidden(planting.places, level), defaultdict(set)
    for place, data in stored_in(target):
        for mark in marks_in(data) & secret:
            leaks[mark].add(place.removeprefix("row of ").removeprefix(f"{target}/"))
    return told(leaks, planting)


def answered_faults(
    share: Share, token: str, client: Client, planting: Planting, level: Level, most: int | None = None
) -> list[str]:
    """What the share answers and should not, and where; what it should answer and does not."""
    secret, seen, leaks = hidden(planting.places, level), set(), defaultdict(set)
    for address, response in answers(client, share, token, most):
        found = marks_in(everything(response))
        seen |= found
        for mark in found & secret:
            leaks[mark].add(address.replace(token, "..."))
    missing = [] if most else named(readable(planting.places, level) - seen, planting.places)
    return told(leaks, planting) + [f"{place} is nowhere" for place in missing]


def told(leaks: dict[str, set[str]], planting: Planting) -> list[str]:
    """A line for each mark that leaked."""
    return sorted(
        f"{planting.places[mark].title} ({mark}) leaks in {len(where)} places, such as {min(where, key=len)}"
        for mark, where in leaks.items()
    )


@pytest.mark.parametrize("of", SAMPLE)
def test_a_sample_of_uploads_is_shared_as_chosen(
    of: str, tmp_path: Path, inspected: Any, share: Callable[..., tuple[Share, str]], guest: Client
) -> None:
    planting = inspected_upload(of, tmp_path / "made")
    some, other = Random(of).sample(LEVELS, 2)
    for level in (some, other):
        assert stored_faults(tmp_path / "made/results", tmp_path / title(level), planting, level) == []
    inspection = inspected(lambda folder: Path(shutil.copytree(tmp_path / "made/results", folder)))
    for level in (DEFAULT, LEVELS[-1]):
        assert answered_faults(*share(inspection, **level), guest, planting, level, most=SAMPLED) == []


@pytest.mark.long
@pytest.mark.parametrize("of", UPLOADS)
def test_the_files_of_a_share_hold_nothing_that_is_hidden_at_any_level(of: str, tmp_path: Path) -> None:
    planting = inspected_upload(of, tmp_path)
    planted = {mark for _, data in stored_in(tmp_path / "results") for mark in marks_in(data)}
    lost = {mark for mark in planting.places if planting.places[mark].is_readable} - planted
    assert named(lost, planting.places) == []  # else the rest would prove nothing
    found = {
        title(level): stored_faults(tmp_path / "results", tmp_path / title(level), planting, level)
        for level in LEVELS
    }
    assert {level: those for level, those in found.items() if those} == {}


@pytest.mark.long
@pytest.mark.parametrize("of", UPLOADS)
def test_a_share_answers_what_was_chosen_and_nothing_else(
    of: str, tmp_path: Path, inspected: Any, share: Callable[..., tuple[Share, str]], guest: Client
) -> None:
    planting = inspected_upload(of, tmp_path / "made")
    inspection = inspected(lambda folder: Path(shutil.copytree(tmp_path / "made/results", folder)))
    found = {
        title(level): answered_faults(*share(inspection, **level), guest, planting, level)
        for level in some_levels(of)
    }
    assert {level: those for level, those in found.items() if those} == {}


def test_every_dialect_and_every_layout_is_planted() -> None:
    assert {of.split("/")[0] for of in DIALECTS} == set(dialects())
    assert set(LAYOUTS) == set(sources())
