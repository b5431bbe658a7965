"""Trials of the repair options as tables: the result of each start by release, and the entities after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from spark.terms.findings import SEVERITIES
from spark.terms.wording import fails_elsewhere, holds_elsewhere, listed, plural

NAMES_SHOWN = 3  # in a cell
NAMES_IN_SENTENCE = 20
NAMED = SEVERITIES[: SEVERITIES.index("medium") + 1]  # "Passed" does not stand alone over such a finding
STAGES = (("after_start", "After start"), ("after_compaction", "After compaction"))
PROBLEMS = (("lacks", "Missing"), ("returns", "Reappears"), ("differs", "Changed"))


SHORT = {"append": "Append", "copy": "Copy"}


@dataclass(frozen=True)
class Problem:
    """A problem after a start: `Missing`, and the first names; `level`: the severity whose sign it has."""

    word: str
    names: tuple[str, ...]
    more: int
    level: str = "high"


@dataclass(frozen=True)
class Cell:
    """What one start came to. Neither complete, nor why not, nor a problem: it was not tried."""

    is_complete: bool = False
    why_not: str = ""
    problems: tuple[Problem, ...] = ()
    column: str = field(
        default="", compare=False
    )  # way and release, where a narrow window makes cards of rows


@dataclass(frozen=True)
class TrialTable:
    """The releases of each way, and one row for each sequence of steps: for each way, a cell for each of its releases."""

    releases: list[list[str]]
    rows: list[tuple[str, list[list[Cell]]]]


@dataclass(frozen=True)
class Count:
    """How many entities of a type there are; `word` where they should be more or fewer."""

    count: int
    word: str


def trial(ways: Sequence[dict[str, Any]]) -> TrialTable:
    releases = [list(dict.fromkeys(start["release"] for start in way["trial"])) for way in ways]
    lives = dict.fromkeys(tuple(start["steps"]) for way in ways for start in way["trial"])
    rows = [
        (", ".join(steps), [_cells(way, own, steps) for way, own in zip(ways, releases, strict=True)])
        for steps in lives
    ]
    return TrialTable(releases, rows)


def _cells(way: dict[str, Any], releases: Sequence[str], steps: tuple[str, ...]) -> list[Cell]:
    cells = {start["release"]: of_outcome(start) for start in way["trial"] if tuple(start["steps"]) == steps}
    name = SHORT.get(way.get("id", ""), "")
    return [replace(cells.get(release, Cell()), column=f"{name}, {release}") for release in releases]


def of_outcome(outcome: dict[str, Any]) -> Cell:
    problems = [_problem(word, outcome[member]) for member, word in PROBLEMS if outcome[member]]
    return Cell(outcome["holds"], outcome["why_not"], tuple(problems))


def _problem(word: str, names: Sequence[str], level: str = "high") -> Problem:
    return Problem(word, tuple(names[:NAMES_SHOWN]), max(0, len(names) - NAMES_SHOWN), level)


def in_words(ways: Iterable[dict[str, Any]]) -> str:
    """`Append: 10 of 10 sequences complete. Copy: 9 of 10 sequences complete`: a sequence of starts and compactions in one release."""
    counts = ((SHORT.get(way["id"], way["id"]), way["trial"]) for way in ways if way["trial"])
    return ". ".join(
        f"{name}: {sum(sequence['holds'] for sequence in sequences):,} of {plural(len(sequences), 'sequence')} complete"
        for name, sequences in counts
    )


def newest_release(ways: Iterable[dict[str, Any]]) -> str:
    """The last release that was tried; entities are counted for it."""
    return next((way["trial"][-1]["release"] for way in ways if way["trial"]), "")


def entities(ways: Sequence[dict[str, Any]]) -> list[tuple[str, int, list[Count | None]]]:
    """(type, expected count, counts of each option after start and after compaction)."""
    states = [way["state"] for way in ways]
    expected: dict[str, int] = next((state["wanted"] for state in states if "wanted" in state), {})
    types = sorted({name for state in states for counts in state.values() for name in counts})
    columns = [state.get(member) for state in states for member, _ in STAGES]
    return [
        (name, expected.get(name, 0), [_count(column, name, expected.get(name, 0)) for column in columns])
        for name in types
    ]


def _count(column: dict[str, int] | None, name: str, expected: int) -> Count | None:
    if column is None:
        return None
    difference = column.get(name, 0) - expected
    word = ""
    if difference:
        word = f"{-difference:,} missing" if difference < 0 else f"{difference:,} too many"
    return Count(column.get(name, 0), word)


def started(ways: Sequence[dict[str, Any]]) -> str:
    """The services that were started: `Apicurio Registry 2.5.9 and 2.6.13`, or their names."""
    names = list(
        dict.fromkeys(start["release"] for way in ways for start in way["trial"] if start["release"])
    )
    return f"{'Apicurio Registry ' if names and names[0][0].isdigit() else ''}{listed(names)}"


def columns_of(ways: Sequence[dict[str, Any]]) -> list[str]:
    """Of the table of entities, for narrow windows: `Append, after start`."""
    return [f"{SHORT.get(way['id'], '')}, {title.lower()}" for way in ways for _, title in STAGES]


def inspected(way: dict[str, Any]) -> Cell | None:
    """The inspection after the first start: passed, or the findings that stand against it; None: not inspected."""
    if not way.get("verdict"):
        return None
    if not way["holds"] and (grave := _grave(way)):
        return Cell(problems=(_problem("Failed", grave),))
    borne = [finding for finding in way["findings"] if finding["severity"] in NAMED]
    if not borne:
        return Cell(True)
    level = min((finding["severity"] for finding in borne), key=SEVERITIES.index)
    word = f"Passed, with {plural(len(borne), 'finding')}"
    return Cell(problems=(_problem(word, [finding["title"] for finding in borne], level),))


def _grave(way: dict[str, Any]) -> list[str]:
    return [finding["title"] for finding in way["findings"] if finding["severity"] in ("critical", "high")]


def why_not(way: dict[str, Any]) -> list[str]:
    """Why a way must not be used, as sentences: what its trial lacks, or what its inspection found."""
    stops = list(dict.fromkeys(start["why_not"] for start in way["trial"] if start["why_not"]))
    if stops or way["lacks"]:
        return [*stops, *_problem_sentences(way)]
    return [f"The inspection after the first start found: {title}" for title in _grave(way)]


def elsewhere(way: dict[str, Any]) -> list[str]:
    """Under which other services a way holds, as sentences; none of a result from before they were tried."""
    others = way.get("elsewhere", [])
    holding = [service["release"] for service in others if service["holds"]]
    sentences = [holds_elsewhere(holding)] if holding else []
    for service in (service for service in others if not service["holds"]):
        problems = " ".join(_problem_sentences({"trial": [service]})) or service["why_not"]
        sentences.append(f"{fails_elsewhere(service['release'])}. {problems}")
    return sentences


def _problem_sentences(way: dict[str, Any]) -> list[str]:
    """`Missing: version g/a/1 and 2 more.`, for all starts together."""
    sentences = []
    for member, word in PROBLEMS:
        names = list(dict.fromkeys(name for start in way["trial"] for name in start[member]))
        if names:
            left_out = len(names) - NAMES_IN_SENTENCE
            rest = f" and {left_out:,} more" if left_out > 0 else ""
            sentences.append(f"{word}: {', '.join(names[:NAMES_IN_SENTENCE])}{rest}.")
    return sentences
