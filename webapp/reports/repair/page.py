"""The result of a repair for its page: options in order, with trials and sources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark.tables.replica import PartitionReplica
from webapp.journals.models import Inspection, Repair
from webapp.journals.topic_names import is_legal
from webapp.reports.repair import trial as repair_trial
from webapp.reports.repair.origins import SOURCE, dump_of, record_url
from webapp.reports.repair.topic import repairable
from webapp.reports.report import Report, ReportFinding

if TYPE_CHECKING:
    from webapp.reports.page import Page

DETECTORS = {  # what a repair takes away, by dialect
    "apicurio-v2": frozenset(
        {"content-null-update", "dangling-content-hash", "compaction-loss", "resurrection-after-compaction", "unfinished-repair",
         "gone-since-older-dump"}
    ),
    "schema-registry": frozenset(
        {"compaction-loss", "resurrected-schema", "hard-delete-incomplete", "empty-value-not-tombstone", "missing-head",
         "dangling-reference", "version-overwritten", "unfinished-repair", "gone-since-older-dump"}
    ),
}  # fmt: skip
# What a repair takes away if an older dump proves it, by dialect: none is tried for it alone.
DETECTORS_BESIDE = {"apicurio-v2": frozenset({"deletion-compacted-away"})}
ROWS_SHOWN = 100
TITLES = {"append": "Append to the topic", "copy": "A repaired copy in a new topic"}
MEANINGS = {
    "append": "You append the repair records to the existing topic. Compaction then removes the records that they supersede.",
    "copy": "You write the repaired copy of the whole journal to a new topic and point the registry at it. The old topic "
    "does not change.",
}
UNTOUCHED = (("nothing_to_repair", "Nothing to repair"), ("unsupported", "Not supported"))
ZIP = ".zip"
FORMS = {
    ".topicdump": "for the registry's own import tool, kafkasql-topic-import",
    ".ndjson": "one record a line, key and value in base64, for ApplyRepair.java and scripts",
    ".md": "the steps with their commands",
    ".java": "the program that checks the topic, pauses compaction and writes the records",
    ".json": "what the repair was built from; the program needs it and the records of every method that passed its check",
    ".tsv": "the records of the dump, by their hashes; the program compares the topic with them",
}


def repairable_journals(report: Report) -> list[dict[str, Any]]:
    return repairable(report.document.get("journals", []))


def repairable_findings(report: Report) -> list[ReportFinding]:
    """Findings that a repair removes, worst first."""
    return sorted(
        (finding for finding in report.findings if can_repair(report, finding)),
        key=lambda finding: finding.rank,
    )


def can_repair(report: Report, finding: ReportFinding) -> bool:
    dialect = str(report.journal(finding.topic).get("dialect"))
    return finding.detector in DETECTORS.get(dialect, ())


def is_repaired_beside(report: Report, finding: ReportFinding, outcome: dict[str, Any]) -> bool:
    """Whether a complete repair of the partition deletes again what the finding says has reappeared."""
    dialect = str(report.journal(finding.topic).get("dialect"))
    if finding.detector not in DETECTORS_BESIDE.get(dialect, ()) or not is_complete(outcome):
        return False
    deleted = {text.removesuffix(" again") for text in outcome.get("corrected", ())}
    victims = [name for name in report.victims_of(finding) if name]
    return bool(victims) and all(
        {f"version {name} deleted", f"artifact {name.rpartition('/')[0]} deleted"} & deleted
        for name in victims
    )


def graver_findings(report: Report) -> list[ReportFinding]:
    """Causes that are critical or high and that no repair removes, worst first."""
    return [f for f in report.causes if f.severity in ("critical", "high") and not can_repair(report, f)]


def may_separate(finding: ReportFinding) -> bool:
    """Whether a repair may give the later schema of a shared ID another one: both must still be registered."""
    return finding.detector == "schema-id-collision" and not any(
        consequence.detector == "registration-rolled-back" for consequence in finding.consequences
    )


def files_of(repair: Repair) -> set[str]:
    """Names of the files of a finished repair, below its folder; none of a way that does not hold."""
    partitions = (repair.result or {}).get("partitions", []) if repair.state == Repair.State.DONE else []
    return {
        name
        for partition in partitions
        for way in partition["ways"]
        if is_usable(way)
        for name in way["files"]
    }


def is_usable(way: dict[str, Any]) -> bool:
    """Whether it passed its trial."""
    return bool(way["holds"] and way.get("trial"))


def is_complete(outcome: dict[str, Any]) -> bool:
    return bool(outcome["recommended"] and outcome.get("is_complete", not outcome["missing"]))


def is_outdated(repair: Repair) -> bool:
    """Whether it was built before repairs had trials: its records could do harm."""
    partitions = (repair.result or {}).get("partitions", [])
    return any("trial" not in way for partition in partitions for way in partition["ways"])


def newest_passed(repairs: Iterable[Repair]) -> Repair | None:
    """Of finished repairs, the newest first, one that recovers everything, else one with an option that passed its trial."""
    done = [repair for repair in repairs if repair.state == Repair.State.DONE and not is_outdated(repair)]
    outcomes = [(repair, (repair.result or {}).get("partitions", [])) for repair in done]
    passed = [
        (repair, partitions)
        for repair, partitions in outcomes
        if any(outcome["recommended"] for outcome in partitions)
    ]
    complete = (repair for repair, partitions in passed if all(map(is_complete, partitions)))
    return next(complete, passed[0][0] if passed else None)


@dataclass(frozen=True)
class AddedRecordOrigin:
    """Where an added record comes from: text, or an offset of this journal or of another one with its address."""

    text: str
    offset: int | None = None
    url: str = ""
    is_own: bool = False


@dataclass(frozen=True)
class File:
    """A file to download. `size_bytes`: None if it is deleted."""

    name: str
    path: str
    form: str
    size_bytes: int | None


@dataclass(frozen=True)
class RepairOptionView:
    """One option, with its rows cut to ROWS_SHOWN. `why_not`: why it must not be used."""

    document: dict[str, Any]
    title: str
    meaning: str
    is_recommended: bool
    added: list[tuple[str, AddedRecordOrigin]]
    removed: list[dict[str, Any]]
    why_not: list[str]
    inspected: repair_trial.Cell | None
    elsewhere: list[str]
    findings: list[dict[str, Any]]
    packed: File | None
    files: list[File]

    @property
    def columns(self) -> int:
        """Number of releases in the trial's table."""
        return len({start["release"] for start in self.document["trial"]})


@dataclass(frozen=True)
class RepairedPartition:
    """A partition with its options, the recommended one first."""

    document: dict[str, Any]
    replica: PartitionReplica
    ways: list[RepairOptionView]
    trial: repair_trial.TrialTable
    entities: list[tuple[str, int, list[tuple[str, repair_trial.Count | None]]]]
    newest_release: str
    started: str
    trial_words: str


def drawn(page: Page, repair: Repair, document: dict[str, Any]) -> list[RepairedPartition]:
    """Partitions of a finished repair; `document` is its result as the user may see it. Empty if the repair is outdated."""
    if is_outdated(repair):
        return []
    inputs = document.get("inputs", [])
    there = _still_there(inputs)
    partitions = []
    for outcome in document.get("partitions", []):
        in_order = sorted(outcome["ways"], key=lambda way: way["id"] != outcome["recommended"])
        ways = [_way(repair, outcome, way, inputs, there) for way in in_order]
        partitions.append(
            RepairedPartition(
                outcome,
                _replica(page, outcome),
                ways,
                repair_trial.trial(in_order),
                [
                    (name, expected, list(zip(repair_trial.columns_of(in_order), counts, strict=True)))
                    for name, expected, counts in repair_trial.entities(in_order)
                ],
                repair_trial.newest_release(in_order),
                repair_trial.started(in_order),
                repair_trial.in_words(in_order),
            )
        )
    return partitions


def untouched(document: dict[str, Any]) -> list[tuple[str, list[tuple[str, str]]]]:
    """By title: journals without a repair, and the reason. Partitions with the same reason are one row."""
    lists = [(title, document.get(member, [])) for member, title in UNTOUCHED]
    return [(title, _named_together(others)) for title, others in lists if others]


def _named_together(others: list[dict[str, Any]]) -> list[tuple[str, str]]:
    partitions: dict[tuple[str, str], list[int]] = defaultdict(list)
    for journal in others:
        partitions[journal["topic"], journal["sentence"]].append(journal["partition"])
    return [
        (f"{topic}-{numbers[0]}" if len(numbers) == 1 else f"{topic} ({len(numbers)} partitions)", sentence)
        for (topic, sentence), numbers in partitions.items()
    ]


def _still_there(inputs: list[dict[str, Any]]) -> set[str]:
    """Ids of inspections that still exist."""
    ids = [dump["inspection"] for dump in inputs]
    done = Inspection.objects.filter(pk__in=ids, state=Inspection.State.DONE)
    return {str(pk) for pk in done.values_list("pk", flat=True)}


def _replica(page: Page, outcome: dict[str, Any]) -> PartitionReplica:
    """The partition of the report that was repaired; of a dump that does not name its topic, the one of that number."""
    numbered = [replica for replica in page.survey.replicas if replica.partition == outcome["partition"]]
    same = [replica for replica in numbered if replica.topic == outcome["topic"]]
    same = same or [replica for replica in numbered if not is_legal(replica.topic)]
    return page.replica if page.replica in same or not same else same[0]


def _way(
    repair: Repair,
    partition: dict[str, Any],
    way: dict[str, Any],
    inputs: list[dict[str, Any]],
    there: set[str],
) -> RepairOptionView:
    files = [_file(repair, name) for name in way["files"]] if is_usable(way) else []
    return RepairOptionView(
        way,
        TITLES[way["id"]],
        MEANINGS[way["id"]],
        way["id"] == partition["recommended"],
        [
            (record["what"], _source(record["source"], partition, inputs, there))
            for record in way["added"][:ROWS_SHOWN]
        ],
        way["removed"][:ROWS_SHOWN],
        [] if is_usable(way) else repair_trial.why_not(way),
        repair_trial.inspected(way),
        repair_trial.elsewhere(way),
        [finding for finding in way["findings"] if finding["severity"] != "info"],
        next((file for file in files if file.name.endswith(ZIP)), None),
        [file for file in files if not file.name.endswith(ZIP)],
    )


def _source(
    text: str, partition: dict[str, Any], inputs: list[dict[str, Any]], there: set[str]
) -> AddedRecordOrigin:
    """`offset 4 of the older dump a.json` with the address of that record, as long as there is one."""
    match, dump = SOURCE.fullmatch(text), dump_of(text, inputs)
    if match is None or dump is None:
        return AddedRecordOrigin(text)
    offset = int(match[1])
    if dump is inputs[0]:
        return AddedRecordOrigin(f"of {match[2]}", offset, is_own=True)
    url = record_url(dump, partition, offset) if dump["inspection"] in there else ""
    return AddedRecordOrigin(f"of {match[2]}", offset, url)


def _file(repair: Repair, name: str) -> File:
    path = repair.results / name
    size_bytes = path.stat().st_size if path.is_file() else None
    return File(Path(name).name, name, FORMS.get(path.suffix, ""), size_bytes)
