"""Checks that did not run, in words: those that do not apply to this input, and those that better data would allow.

    not_run entry => detector why reason better_data

`reason` is one of the four below; `better_data` is a key of BETTER_DATA, empty unless data would help. A dump that carries all
that `kcat -J` does is enough where nothing is lacking but that; else it takes the segments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from spark.detectors import BETTER_DATA, Detector, DoesNotApply, detectors, section_of
from spark.dialects import dialects
from spark.sources import sources
from spark.terms import marked
from spark.terms.typed_wording import grouped, listed, plural

NotRun = dict[str, str]
OTHER_TYPE, DOES_NOT_APPLY = "other-journal-type", "does-not-apply"
NEEDS_DATA, FAILED = "better-data", "failed"
KAFKAS_FILES = ("indexes", "segments", "checkpoint", "replicas")  # of BETTER_DATA
ON_REDPANDA = "Redpanda's schema registry wrote the journal, and Redpanda's segments are not in Kafka's form"
FULL_DUMP = "kcat-json"  # the dump that the product advises
SECTIONS = {
    "apicurio": "registry artifacts",
    "apicurio_v3": "registry artifacts",
    "bytes": "checksums",
    "compaction": "compaction and retention",
    "connect": "connectors",
    "groups": "consumer groups",
    "log": "log history",
    "metadata": "cluster metadata",
    "mirror": "mirrors",
    "other": "commands and histories",
    "schemas": "schemas",
    "tiered": "tiered storage",
    "transactions": "transactions",
    "trust": "readability",
    "values": "values and keys",
}


def of_other_type(detector: Detector) -> NotRun:
    """The entry of a check on journals of which the input has none."""
    titles = " or ".join(dialects()[name].title for name in detector.dialects)
    return entry(detector.id, f"no journal of {titles} in the input", OTHER_TYPE)


def not_run(detector: Detector, why: str, lacking: Sequence[str] = ()) -> NotRun:
    """The entry of one that this input gives too little for. `lacking`: what all its layouts lack of what it needs."""
    data = "" if isinstance(why, DoesNotApply) else better_data(detector, lacking)
    return entry(detector.id, why, NEEDS_DATA if data else DOES_NOT_APPLY, data)


def without_kafkas_files(entries: Iterable[NotRun]) -> list[NotRun]:
    """The entries for journals of Redpanda alone: the files that some checks ask for do not exist there."""
    return [
        entry(row["detector"], ON_REDPANDA, DOES_NOT_APPLY) if row["better_data"] in KAFKAS_FILES else row
        for row in entries
    ]


def entry(name: str, why: str, reason: str, data: str = "") -> NotRun:
    return {"detector": name, "why": str(why), "reason": reason, "better_data": data}


def better_data(detector: Detector, lacking: Sequence[str]) -> str:
    """The data with which it could run: the greater of what the layouts lack and what the check asks for besides."""
    is_enough = not sources()[FULL_DUMP].lacks.intersection(lacking)
    keys = [detector.wants] if detector.wants else []
    if lacking:
        keys.append("dump" if is_enough else "segments")
    return max(keys, key=list(BETTER_DATA).index, default="")


def unrun_checks(entries: Iterable[NotRun]) -> dict[str, Any]:
    """The report's `unrun_checks`: sentences."""
    groups: dict[str, list[NotRun]] = defaultdict(list)
    for row in entries:
        groups[row["reason"]].append(row)
    return {
        "does_not_apply": does_not_apply(groups[OTHER_TYPE], groups[DOES_NOT_APPLY]),
        "better_data": with_better_data(groups[NEEDS_DATA]),
        "failed": [f"{called(row['detector'])} did not run: {row['why']}." for row in groups[FAILED]],
    }


def called(name: str) -> str:
    """A check of the catalogue by its id, which is ours; a rule by what its author called it."""
    return name if name in detectors() else marked.name(name)


def does_not_apply(of_other_type: Sequence[NotRun], others: Sequence[NotRun]) -> str:
    """`31 checks do not apply: the input contains no journal of Kafka Connect (..) or Schema registry (..).`"""
    count = len(of_other_type) + len(others)
    types = {name for row in of_other_type for name in detectors()[row["detector"]].dialects}
    titles = sorted(dialects()[name].title for name in types)
    reasons = [f"the input contains no journal of {listed(titles, 'or')}"] if titles else []
    reasons += dict.fromkeys(row["why"] for row in others)
    verb = "does" if count == 1 else "do"
    return f"{plural(count, 'check')} {verb} not apply: {'; '.join(reasons)}." if count else ""


def with_better_data(rows: Sequence[NotRun]) -> list[str]:
    """`With the log segments 18 more checks can run: checksums, transactions.`, then `With the other replicas: 1 more.`"""
    groups = {data: [row["detector"] for row in rows if row["better_data"] == data] for data in BETTER_DATA}
    by_use = sorted((names, data) for data, names in groups.items() if names)
    by_use.sort(key=lambda group: -len(group[0]))
    return [
        f"With {BETTER_DATA[data]}: {grouped(len(names))} more ({', '.join(subjects(names))})."
        if number
        else f"With {BETTER_DATA[data]} {plural(len(names), 'more check')} can run: {', '.join(subjects(names))}."
        for number, (names, data) in enumerate(by_use)
    ]


def subjects(names: Iterable[str]) -> list[str]:
    """What these checks are about, each subject once."""
    return list(dict.fromkeys(SECTIONS[section_of(name)] for name in names))
