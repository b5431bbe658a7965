"""What the Overview says about the repair of a finding: the result of its trial, or that there was none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from spark.tables.replica import PartitionReplica
from spark.terms.wording import plural
from webapp.journals.models import Inspection, Repair
from webapp.journals.repairs import repairs_of_other_dumps
from webapp.journals.topic_names import is_legal
from webapp.reports.repair.corrections import in_one_clause
from webapp.reports.repair.newer_dump import NewerDump
from webapp.reports.repair.origins import (
    Origins,
    TextOrigin,
    comes_from_elsewhere,
    origins,
    text_origins,
)
from webapp.reports.repair.page import TITLES, can_repair, is_complete, is_outdated, is_repaired_beside
from webapp.reports.repair.recovered import lost_versions, recovered
from webapp.reports.report import Report, ReportFinding
from webapp.reports.results import ResultsGone, open_results

if TYPE_CHECKING:
    from webapp.reports.page import Page

TESTED = "“{way}” recovers everything, through starts of the registry and compactions."
ADD_A_DUMP = "{sentence} Add an older dump."
FAILED = "No repair method passes the trial. The repair page names what is wrong."
TRIED_AGAIN = " A trial with another dump is not complete yet."
RUNNING = "The repair trial is not complete yet. Do not write to the topic before its result."
BEFORE = "Tested with another dump of this journal: {sentence} Build the repair records for this dump: records for another dump do not match it."
UNTESTED = "No repair was tested on this journal."
INCOMPLETE = "The trial recovers a part only. The rest needs another dump."


@dataclass(frozen=True)
class RepairPlan:
    """One sentence, how good it is (a severity's name), and the button that goes on. `is_tested`: it replaces the steps.
    `is_running`: its trial is queued or running.
    `recovered` of `total` versions come back, or stay; 0 in all: versions are not what is repaired. `texts`: where each lost text
    is, by its name. `steps`: how many the tested repair has. `corrections`, `prevented`: how many entities it sets right, and how
    many changes it prevents beside the versions; `corrected`: the former in words. `newer`: a dump that shows what became
    of the topic since."""

    word: str
    level: str
    sentence: str
    url: str
    button: str = "Open the repair"
    is_tested: bool = False
    is_running: bool = False
    recovered: int = 0
    total: int = 0
    origins: Origins | None = None
    texts: Mapping[str, TextOrigin] = field(default_factory=dict)
    steps: int = 0
    corrections: int = 0
    prevented: int = 0
    corrected: Sequence[str] = ()
    newer: NewerDump | None = None

    @property
    def for_the_topic_before(self) -> str:
        """What a repair of this dump is worth beside a newer one."""
        newer = self.newer
        return (
            f"A repair of this dump is for the topic as it was up to offset {newer.last_offset}."
            if newer
            else ""
        )

    @property
    def corrections_clause(self) -> str:
        """What it sets right, as a clause."""
        return in_one_clause(self.corrected)

    @property
    def is_offered(self) -> bool:
        """Whether it stands in place of the steps: it passed its trial, or no trial has failed."""
        return self.is_tested or self.word == "Untested"

    @property
    def is_incomplete(self) -> bool:
        """Whether a trial recovers a part only."""
        return self.word == "Tested" and not self.is_tested

    @property
    def is_elsewhere(self) -> bool:
        """Whether the reader cannot open the repair: a shared report has its result alone."""
        return not self.url

    @property
    def for_ticket(self) -> str:
        """The step of a ticket that stands for a tested repair; empty without one. A link does not have the steps themselves."""
        if self.newer:
            return f"Follow the steps of the newer dump. {self.for_the_topic_before}"
        if not self.is_tested:
            return ""
        steps = plural(self.steps, "step") if self.steps else "steps"
        sender = " The person who shared this report has them, with the repair records."
        corrects = f" It also {self.corrections_clause}." if self.corrected else ""
        return f"Follow the {steps} of the repair (trial passed{self._count}).{corrects}{sender if self.is_elsewhere else ''}"

    @property
    def badge(self) -> str:
        """Result of the trial in a few words."""
        if self.newer:
            return "A newer dump is here"
        if not self.is_tested:
            return "Trial not complete" if self.is_incomplete else self.word
        return f"Trial passed{self._count}"

    @property
    def _count(self) -> str:
        """`: 4 of 4 versions, 3 corrections`."""
        counts = [
            f"{self.recovered:,} of {plural(self.total, 'version')}" if self.total else "",
            plural(self.corrections, "correction") if self.corrections else "",
            f"{plural(self.prevented, 'change')} prevented" if self.prevented else "",
        ]
        named = ", ".join(filter(None, counts))
        return f": {named}" if named else ""


class RepairPlans:
    """The plans of a page; its repairs are read once, and only where a finding needs one."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @cached_property
    def _repairs(self) -> list[Repair]:
        return list(self._page.inspection.repairs.all())

    def plan_of(self, finding: ReportFinding, replica: PartitionReplica) -> RepairPlan | None:
        """None for a finding that no repair takes away; in a shared report the result that was known when it was made."""
        page = self._page
        if page.source.inspection is None:
            result = page.source.trials.get(finding.id)
            return RepairPlan(**result, url="") if result else None
        can_be_tried = can_repair(page.report, finding)
        plan = self._tried(finding, replica) if can_be_tried else self._beside(finding, replica)
        newer = page.newer_dump if plan else None
        return replace(plan, newer=newer, level="high") if plan and newer and newer.is_of(replica) else plan

    def _beside(self, finding: ReportFinding, replica: PartitionReplica) -> RepairPlan | None:
        """A repair for other findings that takes this one away, too: its corrections are told, not what it recovers."""
        repair = best(self._repairs, finding) if finding.severity != "info" else None
        outcome = partition_of(repair, finding) if repair else None
        if repair is None or outcome is None or not is_repaired_beside(self._page.report, finding, outcome):
            return None
        url = self._page.url_of_replica(replica, "report-repair-result", repair.pk)
        plan = self._of_result(repair, outcome, url)
        return replace(plan, recovered=0, total=0, origins=None)

    def _tried(self, finding: ReportFinding, replica: PartitionReplica) -> RepairPlan:
        """What came of its repairs."""
        page = self._page
        start = page.url_of_replica(replica, "report-repair")
        untested = RepairPlan("Untested", "medium", UNTESTED, start, "Build the repair records")
        repair = best(self._repairs, finding)
        if repair is None:
            return self._tried_before(finding, untested) or untested
        url = page.url_of_replica(replica, "report-repair-result", repair.pk)
        if repair.state != Repair.State.DONE:
            return RepairPlan("Untested", "medium", RUNNING, url, is_running=True)
        outcome = partition_of(repair, finding)
        if outcome is None:
            return untested
        plan = self._of_result(repair, outcome, url)
        is_of_others = finding.severity != "critical" and lost_versions(outcome)  # this one loses nothing yet
        return replace(plan, recovered=0, total=0) if is_of_others else plan

    @cached_property
    def _before(self) -> tuple[list[Repair], frozenset[str]]:
        """The repairs of the dump of the journal that was tried last, and the findings of that dump."""
        done = repairs_of_other_dumps(self._page.inspection).filter(state=Repair.State.DONE).first()
        if done is None:
            return [], frozenset()
        try:
            with open_results(done.inspection.results) as results:
                findings = frozenset(finding["id"] for finding in results.document["findings"])
        except ResultsGone:
            return [], frozenset()
        return list(done.inspection.repairs.filter(state=Repair.State.DONE)), findings

    def _tried_before(self, finding: ReportFinding, untested: RepairPlan) -> RepairPlan | None:
        """Result of the trial of another dump with the same finding."""
        repairs, findings = self._before
        repair = best(repairs, finding) if finding.id in findings else None
        outcome = partition_of(repair, finding) if repair else None
        if repair is None or outcome is None:
            return None
        plan = self._of_result(repair, outcome, untested.url)
        return replace(
            plan,
            word=untested.word,
            level=untested.level,
            sentence=BEFORE.format(sentence=plan.sentence),
            button=untested.button,
            is_tested=False,
        )

    def _of_result(self, repair: Repair, outcome: dict[str, Any], url: str) -> RepairPlan:
        """Result of the trial, and where the records come from."""
        start = self._page.url("report-repair")
        plan = replace(of_result(outcome, url, start), texts=text_origins(self._page, repair, outcome))
        if not outcome["recommended"] and not outcome["missing"]:
            return plan
        if not plan.is_tested and any(not repair.is_over for repair in self._repairs):
            plan = replace(plan, sentence=plan.sentence + TRIED_AGAIN)
        return replace(counted(plan, repair, outcome), origins=origins(self._page, repair, outcome))


def texts_elsewhere(page: Page, findings: Iterable[ReportFinding]) -> dict[str, TextOrigin]:
    """By entity (`content 48`): where the text that it lost can be taken from, another dump or a file, as a repair found it; of
    several findings the first says it."""
    plans = RepairPlans(page)
    of_findings = [plan for finding in findings if (plan := plans.plan_of(finding, page.replica))]
    texts = (text for plan in reversed(of_findings) for text in plan.texts.items())
    return {name: origin for name, origin in texts if origin.dump or origin.file}


def counted(plan: RepairPlan, repair: Repair, outcome: dict[str, Any]) -> RepairPlan:
    """The plan with the number of versions that come back; where none is lost yet, of those that stay."""
    if not outcome["mended"] and not comes_from_elsewhere(repair, outcome):
        return plan
    lost = lost_versions(outcome)
    back = recovered(outcome) - {*outcome.get("at_risk", ())} if lost else recovered(outcome)
    return replace(plan, recovered=len(back), total=len(lost or {*outcome["mended"]}))


def known_results(inspection: Inspection, report: Report) -> dict[str, dict[str, Any]]:
    """By finding: the result of its finished trial, without names, for a share: members of a RepairPlan."""
    repairs = list(inspection.repairs.all())
    results = {}
    for finding in report.causes:
        repair = best(repairs, finding) if can_repair(report, finding) else None
        outcome = partition_of(repair, finding) if repair and repair.state == Repair.State.DONE else None
        if repair and outcome and (outcome["recommended"] or outcome["missing"] or outcome["ways"]):
            plan = counted(of_result(outcome, "", ""), repair, outcome)
            sentence = INCOMPLETE if outcome["missing"] and not plan.is_tested else plan.sentence
            results[finding.id] = {name: getattr(plan, name) for name in KNOWN} | {"sentence": sentence}
    return results


KNOWN = ("word", "level", "is_tested", "recovered", "total", "steps", "corrections", "prevented")


def best(repairs: Iterable[Repair], finding: ReportFinding) -> Repair | None:
    """The finished one that recovers most of the finding's partition, of equal ones the newest; else the newest that is on
    its way. `repairs`: the newest first."""
    candidates = list(repairs)
    done = [repair for repair in candidates if repair.state == Repair.State.DONE and not is_outdated(repair)]
    going = [repair for repair in candidates if not repair.is_over]
    return max(done, key=lambda repair: rank(partition_of(repair, finding)), default=next(iter(going), None))


def rank(outcome: dict[str, Any] | None) -> tuple[bool, int]:
    """(complete, number of recovered entities)."""
    return (is_complete(outcome), len(recovered(outcome))) if outcome else (False, 0)


def partition_of(repair: Repair, finding: ReportFinding) -> dict[str, Any] | None:
    """What the trial says of the finding's partition; a dump that names no topic has its number alone."""
    for outcome in (repair.result or {}).get("partitions", []):
        is_topic = outcome["topic"] == finding.topic or not is_legal(finding.topic)
        if is_topic and finding.partition in (None, outcome["partition"]):
            return dict(outcome)
    return None


def of_result(outcome: dict[str, Any], url: str, start: str) -> RepairPlan:
    """`url`: the result's page; `start`: the page that begins another repair."""
    if is_complete(outcome):
        way = next(way for way in outcome["ways"] if way["id"] == outcome["recommended"])
        sentence = TESTED.format(way=TITLES[way["id"]])
        corrected = outcome.get("corrected", [])
        return RepairPlan(
            "Tested", "healthy", sentence, url, is_tested=True, steps=len(way.get("steps") or []),
            corrections=len(corrected), prevented=len(outcome["settled"]), corrected=corrected,
        )  # fmt: skip
    if outcome["missing"]:
        sentence = ADD_A_DUMP.format(sentence=outcome["sentence"])
        return RepairPlan("Tested", "high", sentence, start, "Add an older dump")
    return RepairPlan("Tested", "high", FAILED, url)
