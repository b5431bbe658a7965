"""A plan carried out and tried: files to produce, and each way's repaired journal through starts and compactions.

The trial (trial.py) starts the registries that the plan may start on the repaired journal, compacts it, and starts them
again; what they write is part of it. The journal as it is after the first start is inspected as well: that is what a
user inspects before compaction is resumed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from spark.dialects import ReleaseCannotStart, State
from spark.repair import (
    Added,
    AddedSchemaFile,
    Plan,
    RequestedSchema,
    apicurio_v2,
    envelopes,
    schema_registry,
)
from spark.repair.alarms import (
    HEADLESS,
    NO_JAVA,
    alarms_of,
    damage_of,
    every_alarm,
    in_copy,
    mark_of,
    not_by_records,
    stops_start,
)
from spark.repair.answers import APPEND, COPY, RepairAnswer, Repaired, RepairOption
from spark.repair.built import write_manifest
from spark.repair.inputs import Input, is_same, named_topic
from spark.repair.journal import PartitionJournal
from spark.repair.marks import new_id, with_marks
from spark.repair.nothing import intact, unsupported, untouched
from spark.repair.steps import needs, steps, with_warnings
from spark.repair.trial import TrialOutcome, releases_of, tried, tried_elsewhere, tried_prefixes
from spark.simulation.log import SimulatedLog
from spark.simulation.starts import LIVES, lived
from spark.sources import InputFile
from spark.terms.marked import plain
from spark.terms.verdict_word import NO_FAULT
from spark.terms.wording import plural

Report = dict[str, Any]
Inspect = Callable[[list[InputFile], Path, Mapping[str, str]], Report]  # the mapping: topic -> dialect id
Planner = Callable[
    [PartitionJournal, Sequence[PartitionJournal], Sequence[AddedSchemaFile], Sequence[RequestedSchema]], Plan
]
# By dialect: the journal, older dumps of it, files, ids that are asked for.
PLANNERS: Mapping[str, Planner] = {
    "apicurio-v2": apicurio_v2.plan,
    "schema-registry": schema_registry.plan,
}
LATER_MS = 60_000  # after the last record, at the soonest: registries are stopped before
FILES = {APPEND: "append", COPY: "mended"}


def repair(
    broken: Input,
    older: Sequence[Input],
    files: Sequence[AddedSchemaFile],
    inspect: Inspect,
    out: Path,
    topic: str = "",
    new_topic: str = "",
    requested: Sequence[RequestedSchema] = (),
) -> RepairAnswer:
    """Repair every partition that can be; the files to produce are written below `out`. `topic`: the name of the topic,
    where the dump does not give it; `new_topic`: of a repaired copy. Raises UnreadableInput where the former is needed, or
    is another one than the dump's."""
    answer = RepairAnswer()
    for journal in broken.journals():
        plan_repair = PLANNERS.get(journal.dialect)
        if plan_repair is None:
            answer.unsupported.append(untouched(journal, unsupported(journal.language.title, PLANNERS)))
            continue
        copies = [copy for other in older for copy in other.journals() if is_same(copy, journal)]
        plan = plan_repair(journal, copies, files, requested)
        alarms = alarms_of(broken.report, journal.replica)
        if plan.bears_old_alarms:
            open_alarms = [
                alarm for alarm in alarms if plan.is_idle or (alarm["detector"] in HEADLESS and not copies)
            ]
            plan = replace(plan, refused=(*plan.refused, *map(not_by_records, open_alarms)))
        if plan.is_idle:
            titles = [plain(alarm["title"]) for alarm in alarms]
            answer.intact.append(untouched(journal, intact(journal, [copy.name for copy in copies], titles)))
            continue
        name = named_topic(journal, topic)
        folder = out / f"{name}-{journal.replica[1]}"
        copy_topic = new_topic or f"{name}-repaired"
        ways = [] if plan.is_empty else carried_out(journal, plan, inspect, folder, name, copy_topic)
        bear_damage(ways, journal, damage_of(broken.report, journal.replica))
        if plan.bears_old_alarms:
            for way in ways:
                way.old_alarms = frozenset(map(mark_of, every_alarm(broken.report, journal.replica)))
        answer.partitions.append(
            Repaired(name, journal.replica[1], plan, ways, folder.name, journal.unfinished)
        )
    return answer


def bear_damage(
    ways: Iterable[RepairOption], journal: PartitionJournal, damage: Sequence[Mapping[str, Any]]
) -> None:
    """What the trial, which has no bytes, cannot show: where a start stops on the topic itself, and which records of a copy are in doubt."""
    stops = bool(damage) and not {*releases_of(journal.language, journal.log())} <= {*NO_JAVA}
    for way in ways:
        if way.id == COPY:
            way.needs += map(in_copy, damage)
        elif stops:
            way.outcomes = [TrialOutcome("", ("start",), why_not=stops_start(damage[0]))]


def carried_out(
    journal: PartitionJournal, plan: Plan, inspect: Inspect, folder: Path, topic: str, new_topic: str
) -> list[RepairOption]:
    """Both ways, written and tried."""
    partition, repair_id = journal.replica[1], new_id()
    plan = replace(plan, appended=with_marks(plan.appended, repair_id))
    written: dict[str, envelopes.Written] = {}
    ways = []
    if APPEND in plan.ways:
        append = RepairOption(APPEND, len(plan.appended), plan.appended, {})
        append.prefixes = tried_prefixes(journal.log(), plan.appended, journal.language, plan.required)
        ways.append(append)
        written[APPEND] = envelopes.write(
            folder, FILES[APPEND], plan.appended, topic, partition, journal.end_offset()
        )
    if COPY in plan.ways:
        added = [record for group in (*plan.before.values(), *plan.after.values()) for record in group]
        whole = envelopes.repaired(journal, plan)
        written[COPY] = envelopes.write(folder, FILES[COPY], whole, new_topic, partition)
        ways.append(RepairOption(COPY, written[COPY].records, added, plan.left_out))
    losses = sum(len(way.prefixes.losing) for way in ways)
    write_manifest(folder, journal, repair_id, topic, new_topic, written, losses)
    for way in ways:
        way.files = [f"{folder.name}/{FILES[way.id]}.{form}" for form in ("topicdump", "ndjson")]
        way.needs = needs(way.id, written[way.id], topic, new_topic, bool(way.prefixes.losing))
        steps_of = plan.steps_of or partial(steps, versions=plan.recovered)
        way.steps = with_warnings(steps_of(way.id, topic, new_topic))
        try_out(way, journal, plan, inspect, folder)
    return ways


def try_out(way: RepairOption, journal: PartitionJournal, plan: Plan, inspect: Inspect, folder: Path) -> None:
    """Live through starts and compactions; inspect the journal as it is after the first start."""
    log, language = repaired_log(way.id, journal, plan), journal.language
    way.outcomes = tried(log, language, plan.required)
    way.elsewhere = tried_elsewhere(log, language, plan.required_elsewhere)
    way.state = {"wanted": counted(plan.required, language.compared)}
    try:
        first, second = islice(lived(log, language, releases_of(language, log)[-1], LIVES[0]), 2)
    except ReleaseCannotStart:
        return
    way.state |= {
        "after_start": counted(first.started.state, language.compared),
        "after_compaction": counted(second.started.state, language.compared),
    }
    way.writes = [write.what for write in first.started.writes]
    records = (envelopes.repaired if way.id == COPY else envelopes.appended)(journal, plan)
    started = (
        Added(write.record.key, write.record.value, (), None, "", "") for write in first.started.writes
    )
    keeps_offsets = plan.bears_old_alarms and way.id == APPEND
    report = inspected(journal, chain(records, started), inspect, folder, way.id, keeps_offsets)
    way.verdict = trial_verdict(report)
    way.findings = [
        {name: finding[name] for name in ("detector", "severity", "title", "first_offset", "entity")}
        for finding in report["findings"]
        if finding["consequence_of"] is None
    ]


def trial_verdict(report: Report) -> dict[str, str]:
    """The verdict, without what it says of offsets: a simulation numbers the records anew, so it cannot miss one."""
    verdict: dict[str, str] = report["verdict"]
    if verdict["level"] != "healthy":
        return verdict
    return {
        "level": "healthy",
        "sentence": f"{NO_FAULT}. {plural(report['coverage']['records'], 'record')}.",
    }


def repaired_log(way: str, journal: PartitionJournal, plan: Plan) -> SimulatedLog:
    """The journal with the repair, as the registries find it."""
    if way == APPEND:
        return journal.log().appended(plan.appended)
    return journal.edited_log(plan.before, plan.after, plan.left_out)


def inspected(
    journal: PartitionJournal,
    records: Iterable[envelopes.Line],
    inspect: Inspect,
    folder: Path,
    way: str,
    keeps_offsets: bool = False,
) -> Report:
    """The report on a journal with these records, read as the broken one was."""
    topic, partition, _ = journal.replica
    last = journal.last_record()
    stamp = last.timestamp_ms + LATER_MS if last and last.timestamp_ms is not None else None
    envelopes.write(
        folder, f"tried-{way}", records, topic, partition, stamp=stamp, keeps_offsets=keeps_offsets
    )
    whole = folder / f"tried-{way}.topicdump"
    file = InputFile(whole.name, str(whole), whole.stat().st_size)
    return inspect([file], folder / f"tried-{way}", {"": journal.dialect})


def counted(state: State | Mapping[tuple[str, str], Any], types: Mapping[str, Any]) -> dict[str, int]:
    """Entities by type, of the types that are compared."""
    return dict(sorted(Counter(entity_type for entity_type, _ in state if entity_type in types).items()))
