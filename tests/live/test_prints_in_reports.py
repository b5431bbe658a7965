"""A report of what a tool of any age really printed alarms of nothing that the broker's own segments do not show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.live.captures import inspected
from tests.live.prints import Print, Prints
from tests.live.test_prints_of_tools import as_pasted
from tests.live.tools import AGES

pytestmark = [pytest.mark.live, pytest.mark.spark]

Report = dict[str, Any]
ALARMING = ("medium", "high", "critical")
# Every form was read record by record elsewhere: here one of each kind, for an inspection takes a second.
SEEN = (
    "console values", "console all awkward", "console keys ledger", "console formatter", "console mirror CheckpointFormatter",
    "dump plain ledger", "dump print ledger", "dump skip ledger", "dump shallow packed", "dump decoder __",
    "dump companion .snapshot", "dump companion .timeindex", "dump index-sanity-check", "dump verify-index-only running",
)  # fmt: skip
# The tool says why it ends and prints nothing of the log.
REFUSED = {("0.10.2.2", "dump index-sanity-check running")}
PASTED = {
    "0.10.2.2": ("dump decoder __consumer_offsets", "console formatter groups text"),
    "2.8.2": ("console all awkward", "dump decoder __transaction_state"),
    "3.9.1": ("console formatter offsets text", "dump companion .snapshot"),
    "4.1.1": ("console formatter offsets json", "dump print ledger", "dump plain ledger"),
}

Reports = dict[tuple[str, str], Report]  # by version and name of the print or of the topic


@dataclass(frozen=True)
class Inspected:
    """Reports of segments, prints, and prints as people paste them; the prints themselves."""

    made: dict[tuple[str, str], Print]
    logs: Reports
    prints: Reports
    pasted: Reports


@pytest.fixture(scope="module")
def reports(prints_of: Callable[[str], Prints], tmp_path_factory: pytest.TempPathFactory) -> Inspected:
    """All in one session."""
    folder = tmp_path_factory.mktemp("pasted")
    made = {
        (version, name): one
        for version in AGES
        for name, one in prints_of(version).made.items()
        if name.startswith(SEEN)
    }
    logs = {(version, one.asked.topic): one.folder for (version, _), one in made.items()}
    pasted = {
        (version, name): write_pasted(made[version, name], folder / f"{version} {name}.txt")
        for version, names in PASTED.items()
        for name in names
    }
    paths = [*logs.values(), *(one.run.output for one in made.values()), *pasted.values()]
    found = iter(inspected(*paths))
    return Inspected(made, *({key: next(found) for key in keys} for keys in (logs, made, pasted)))


def test_no_print_alarms_where_the_segments_do_not(reports: Inspected) -> None:
    new = {
        key: alarms(report) - alarms(reports.logs[key[0], reports.made[key].asked.topic])
        for key, report in reports.prints.items()
    }
    assert {key: found for key, found in new.items() if found} == {}


def test_every_print_has_a_verdict(reports: Inspected) -> None:
    without = {key for key, report in reports.prints.items() if level(report) is None}
    assert without == REFUSED


def test_a_print_that_was_pasted_with_its_command_has_the_same_verdict(reports: Inspected) -> None:
    assert {key: (level(report), alarms(report)) for key, report in reports.pasted.items()} == {
        key: (level(reports.prints[key]), alarms(reports.prints[key])) for key in reports.pasted
    }


def write_pasted(one: Print, path: Path) -> Path:
    """A print in a fence behind its command."""
    text = as_pasted(one)["fenced"]
    total = f"Processed a total of {one.asked.count} messages\n"
    path.write_text(text.replace(total, "") if one.asked.name.startswith("dump") else text, encoding="utf-8")
    return path


def level(report: Report) -> str | None:
    """How bad it is; None: nothing could be read."""
    return (report.get("verdict") or {}).get("level")


def alarms(report: Report) -> set[str]:
    """Detectors with findings of severity medium or higher."""
    return {one["detector"] for one in report.get("findings", ()) if one["severity"] in ALARMING}
