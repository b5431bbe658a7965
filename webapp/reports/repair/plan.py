"""What the Overview says of repairing a finding: what the trial has shown, or that nothing was tried yet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from spark.tables.replica import PartitionReplica
from webapp.journals.models import Repair
from webapp.journals.topic_names import is_legal
from webapp.reports.repair.origins import Origins, origins
from webapp.reports.repair.page import TITLES, can_repair, is_outdated
from webapp.reports.report import ReportFinding

if TYPE_CHECKING:
    from webapp.reports.views.page import Page

TESTED = "“{way}” recovers everything, through starts of the registry and compactions."
FAILED = "No way recovers everything. {sentence}"
TRIED_AGAIN = " A trial with another dump is not complete yet."
RUNNING = "The repair trial is not complete yet. Do not write to the topic before its result."
UNTESTED = "These steps were not tried on this journal. Try them first."


@dataclass(frozen=True)
class RepairPlan:
    """One sentence, how good it is (a severity's name), and the button that goes on. `is_tested`: it replaces the steps.
    `recovered` of `total` versions come back, or stay; 0 in all: versions are not what is repaired."""

    word: str
    level: str
    sentence: str
    url: str
    button: str = "Open the repair"
    is_tested: bool = False
    recovered: int = 0
    total: int = 0
    origins: Origins | None = None


class RepairPlans:
    """The plans of a page; its repairs are read once, and only where a finding needs one."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @cached_property
    def _repairs(self) -> list[Repair]:
        return list(self._page.inspection.repairs.all())

    def plan_of(self, finding: ReportFinding, replica: PartitionReplica) -> RepairPlan | None:
        """None for a finding that no repair takes away, and in shared reports, which have no repairs."""
        page = self._page
        if page.source.inspection is None or not can_repair(page.report, finding):
            return None
        start = page.url_of_replica(replica, "report-repair")
        untested = RepairPlan("Untested", "medium", UNTESTED, start, "Build the repair records")
        repair = newest(self._repairs)
        if repair is None:
            return untested
        url = page.url_of_replica(replica, "report-repair-result", repair.pk)
        if repair.state != Repair.State.DONE:
            return RepairPlan("Untested", "medium", RUNNING, url)
        outcome = partition_of(repair, finding)
        return self._of_result(repair, outcome, url) if outcome else untested

    def _of_result(self, repair: Repair, outcome: dict[str, Any], url: str) -> RepairPlan:
        """What a trial has shown, and where the records come from."""
        plan = of_result(outcome, url)
        if not outcome["recommended"] and not outcome["missing"]:
            return plan
        if not plan.is_tested and any(not one.is_over for one in self._repairs):
            plan = replace(plan, sentence=plan.sentence + TRIED_AGAIN)
        sources = origins(self._page, repair, outcome)
        recovered = set(outcome["mended"])
        missing = {name for one in outcome["missing"] for name in one["needed_by"]}
        if not sources and not (recovered and missing):
            return plan
        return replace(
            plan, recovered=len(recovered - missing), total=len(recovered | missing), origins=sources
        )


def newest(repairs: Iterable[Repair]) -> Repair | None:
    """The newest finished one, else the newest that is on its way."""
    known = list(repairs)
    done = [one for one in known if one.state == Repair.State.DONE and not is_outdated(one)]
    going = [one for one in known if not one.is_over]
    return next(iter([*done, *going]), None)


def partition_of(repair: Repair, finding: ReportFinding) -> dict[str, Any] | None:
    """What the trial says of the finding's partition; a dump that names no topic has its number alone."""
    for outcome in (repair.result or {}).get("partitions", []):
        is_topic = outcome["topic"] == finding.topic or not is_legal(finding.topic)
        if is_topic and finding.partition in (None, outcome["partition"]):
            return dict(outcome)
    return None


def of_result(outcome: dict[str, Any], url: str) -> RepairPlan:
    """What a trial has shown."""
    if outcome["recommended"] and not outcome["missing"]:
        return RepairPlan(
            "Tested", "healthy", TESTED.format(way=TITLES[outcome["recommended"]]), url, is_tested=True
        )
    return RepairPlan("Tested", "high", FAILED.format(sentence=outcome["sentence"]), url)
