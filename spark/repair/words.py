"""What a repair came to, in words for the command line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from spark.repair.answers import APPEND, COPY, RepairAnswer, Repaired, RepairOption
from spark.repair.nothing import Untouched
from spark.repair.trial import TrialOutcome
from spark.terms.marked import partition_name
from spark.terms.wording import at_offsets, fails_elsewhere, holds_elsewhere, listed, plural, some

NO_JOURNAL = "The input contains no journal."
NAMES = {APPEND: "Append to the topic", COPY: "A repaired copy in a new topic"}


def as_text(answer: RepairAnswer, out: Path) -> str:
    """The whole answer: what can be repaired first, then each other journal with its reason."""
    repaired = ["\n".join(partition_lines(partition, out)) for partition in answer.partitions]
    others = [*untouched_lines(answer.intact), *untouched_lines(answer.unsupported)]
    return "\n\n".join([*repaired, *others]) or NO_JOURNAL


def untouched_lines(others: Sequence[Untouched]) -> Iterable[str]:
    """Journals without a repair; partitions of a topic for which the same holds are one."""
    partitions: dict[tuple[str, str], list[int]] = defaultdict(list)
    for journal in others:
        partitions[journal.topic, journal.sentence].append(journal.partition)
    for (topic, text), numbers in partitions.items():
        name = (
            f"{topic}-{numbers[0]}" if len(numbers) == 1 else f"{topic} ({plural(len(numbers), 'partition')})"
        )
        yield f"{name}: {text}"


def sentence(repaired: Repaired) -> str:
    if repaired.unfinished:
        offsets = at_offsets(sorted(repaired.unfinished.offsets))
        return f"{outcome(repaired)} The records at {offsets} are of an unfinished repair. This repair finishes it."
    return outcome(repaired)


def outcome(repaired: Repaired) -> str:
    entities = [gone.entity for gone in repaired.plan.missing]
    missing = f"{some(entities)} {'is' if len(entities) == 1 else 'are'} still missing"
    if not repaired.ways:
        return without_records(repaired) or f"Nothing can be repaired yet: {missing}."
    if repaired.plan.missing:
        refused = [gone.entity for gone in repaired.plan.refused]
        others = f" {plural(len(refused), 'problem')} cannot be repaired: {some(refused)}." if refused else ""
        return f"{recovered(repaired)} {missing[:1].upper()}{missing[1:]}, so the repair is not complete.{others}"
    if repaired.plan.refused and repaired.recommended is not None:
        return f"{recovered(repaired)} {plural(len(repaired.plan.refused), 'problem')} cannot be repaired: {some([gone.entity for gone in repaired.plan.refused])}."
    if repaired.recommended is None:
        return f"No repair method passes the repair check: {some(repaired.ways[0].lacks) or repaired.ways[0].verdict.get('sentence', '')}"
    return recovered(repaired)


def without_records(repaired: Repaired) -> str:
    """Where no record is needed, or none helps."""
    titles = [measure.title for measure in repaired.plan.measures]
    sentences = [f"No record is needed: {some(titles)}."] if titles else []
    if repaired.plan.refused:
        entities = [gone.entity for gone in repaired.plan.refused]
        sentences.append(
            f"{plural(len(entities), 'problem')} cannot be repaired by records: {some(entities)}."
        )
    return "" if repaired.plan.missing else " ".join(sentences)


def recovered(repaired: Repaired) -> str:
    """What comes back, is kept, and is set right: `The repair recovers 4 artifact versions.`"""
    plan = repaired.plan
    clauses = [
        f"{verb} {plural(number, *nouns)}"
        for verb, number, nouns in (
            ("recovers", len(plan.recovered) - len(plan.at_risk), plan.nouns),
            ("keeps", len(plan.at_risk), plan.nouns),
            ("corrects", len(plan.corrected), ("entity", "entities")),
        )
        if number
    ]
    if plan.settled:
        clauses.append(f"prevents {plural(len(plan.settled), 'change')} by compaction")
    if plan.left_out and not clauses:
        clauses.append(f"leaves {plural(len(plan.left_out), 'record')} out of a copy")
    return f"The repair {listed(clauses)}." if clauses else "Nothing can be recovered."


def partition_lines(repaired: Repaired, out: Path) -> Iterable[str]:
    yield f"{partition_name(repaired.topic, repaired.partition)}: {sentence(repaired)}"
    if repaired.plan.recovered:
        yield f"  Versions: {listed(repaired.plan.recovered)}."
    if repaired.plan.corrected:
        yield f"  Corrected: {listed(repaired.plan.corrected)}."
        yield from (f"  {reason}" for reason in repaired.plan.reasons)
    if repaired.plan.settled:
        yield f"  Kept as it is: {listed(repaired.plan.settled)}."
    for gone in repaired.plan.missing:
        yield f"  Still missing{for_whom(gone.needed_by)}: {gone.entity}, {gone.sought}."
    for gone in repaired.plan.refused:
        yield f"  Not repaired: {gone.entity}: {gone.sought}."
    for measure in repaired.plan.measures:
        yield ""
        yield f"{measure.title}:"
        yield from (f"  {number}. {step}" for number, step in enumerate(measure.steps, start=1))
    for way in repaired.ways:
        yield ""
        yield from way_lines(way, repaired.recommended is way, out)
    if repaired.ways:
        yield ""
        yield f"The files are in {out / repaired.folder}; the commands above run in that folder."


def for_whom(needed_by: Sequence[str]) -> str:
    """` for a and b`."""
    return f" for {some(needed_by)}" if needed_by else ""


def way_lines(way: RepairOption, is_recommended: bool, out: Path) -> Iterable[str]:
    """One way, with what it adds and removes, what its trial showed, and its steps."""
    mark = "" if way.holds else " (repair check failed: do not use it)"
    if is_recommended:
        mark = " (recommended)"
    yield f"{NAMES[way.id]}{mark}: {plural(way.records, 'record')} in {out / way.files[0]}"
    for record in way.added:
        yield f"  + {record.what}, from {record.source}"
    for offset, why in sorted(way.left_out.items()):
        yield f"  - offset {offset}: {why}"
    yield from (f"  Result of the repair check: {line}" for line in trial_lines(way.outcomes))
    yield from (f"  {line}" for line in elsewhere_lines(way.elsewhere))
    if way.verdict:
        yield f"  Inspected after the first start: {way.verdict['sentence']}"
    if way.lacks:
        yield f"  Not repaired: {some(way.lacks)}."
    yield from (f"  Needs: {need}" for need in way.needs)
    yield from (f"  {number}. {step}" for number, step in enumerate(way.steps, start=1))


def trial_lines(outcomes: Sequence[TrialOutcome]) -> Iterable[str]:
    """One line for all starts that are as they should be, one for each that is not."""
    holding = [outcome for outcome in outcomes if outcome.holds]
    releases = listed(dict.fromkeys(outcome.release for outcome in holding))
    if holding and len(holding) == len(outcomes):
        longest = max((outcome.steps for outcome in holding), key=len)
        verb = "holds" if len({outcome.release for outcome in holding}) == 1 else "hold"
        yield f"{releases} {verb} everything at each of {len(holding)} starts, the longest {', '.join(longest)}"
        return
    yield from (outcome_line(outcome) for outcome in outcomes)


def elsewhere_lines(outcomes: Mapping[str, TrialOutcome]) -> Iterable[str]:
    """Under which other services a way holds."""
    holding = [title for title, outcome in outcomes.items() if outcome.holds]
    if holding:
        yield holds_elsewhere(holding)
    for title, outcome in outcomes.items():
        if not outcome.holds:
            yield f"{fails_elsewhere(title)}: {outcome_line(outcome)}"


def outcome_line(outcome: TrialOutcome) -> str:
    """`2.6.13, after start, compaction, start: complete`."""
    if outcome.why_not:
        return outcome.why_not
    steps = ", ".join(outcome.steps)
    if outcome.holds:
        return f"{outcome.release}, after {steps}: complete"
    wrong = [
        *outcome.lacks,
        *(f"{name} reappears" for name in outcome.returns),
        *(f"{name} changed" for name in outcome.differs),
    ]
    return f"{outcome.release}, after {steps}: {some(wrong, 4)}"
