"""How a journal could be repaired, as the command repair answers it, without the records themselves.

The plan is made of all the data and redacted afterwards. Unless everything in keys and values is shown, only numbers, states,
names and the steps whose words are known to be names and numbers remain of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from spark.redaction import DocumentWords
from spark.repair import MissingEntity
from spark.repair.answers import Repaired, RepairOption
from spark.repair.inputs import Input
from spark.repair.nothing import Untouched
from spark.repair.result import repair
from spark.repair.steps import steps
from spark.terms.errors import UnreadableInput
from spark.terms.installation import COMMAND_NAME
from spark.terms.marked import UNNAMED
from spark.terms.topic_commands import LEGAL_NAME
from workers.management.assistants.bounds import AnswerBounds, Document
from workers.management.assistants.journals import PathJournals
from workers.management.assistants.refused import RefusedCall
from workers.management.inspecting import scratch_folder

HIDDEN_STEPS = f"The steps are hidden with names or payloads. A person gets them with: {COMMAND_NAME} repair PATH --out FOLDER"
NAME_THE_TOPIC = (
    "This input does not name its topic, and the steps of a repair do. Call again with its name as topic."
)
NOT_A_TOPIC = "This is not a topic name. Kafka allows letters, digits, dots, underscores and hyphens."
FINDINGS = " The inspection reports "  # begins the end of a reason that has titles of findings
OTHER_FINDINGS = (
    " The inspection reports findings that a repair does not address. Their steps say what to do."
)
# How plans call entities and records: our own words, then a name.
ENTITY = re.compile(
    r"((?:content|schema ID) \d{1,6}(?: of )?|version |the first version of |the record at offset \d+)(.*)",
    re.DOTALL,
)


def planned(
    journals: PathJournals, bounds: AnswerBounds, name: str, older: Sequence[str], topic: str, start: int
) -> Document:
    """One partition a row. Raises RefusedCall."""
    if topic and not LEGAL_NAME.fullmatch(topic):
        raise RefusedCall(NOT_A_TOPIC)
    journal, others = journals.of(name), [journals.of(path) for path in older]
    broken = Input(journal.raw_report, journal.raw, "this journal")
    is_named = any(partition.replica.topic != UNNAMED for partition in broken.journals())
    if is_named:
        topic = ""  # a call could otherwise ask whether a hidden topic has a name
    dumps = [
        Input(other.raw_report, other.raw, f"older dump {number}")
        for number, other in enumerate(others, start=1)
    ]
    with scratch_folder(journals.job.scratch) as out:
        try:
            answer = repair(broken, dumps, [], journals.job.inspect_files, out, topic)
        except UnreadableInput as problem:
            raise problem if is_named or topic else RefusedCall(NAME_THE_TOPIC) from problem
    words = journal.words(*(text for partition in answer.partitions for text in names_of(partition)))
    rows = [redacted_partition(partition, topic, words) for partition in answer.partitions]
    page, following = bounds.page(rows, start)
    return {
        "partitions": page,
        "partition_count": len(rows),
        "next_start": following,
        "nothing_to_repair": [untouched(other, words) for other in answer.intact],
        "unsupported": [untouched(other, words) for other in answer.unsupported],
    }


def names_of(repaired: Repaired) -> Iterable[str]:
    """Names of entities in a plan."""
    plan = repaired.plan
    yield from plan.recovered
    for entity in (*plan.missing, *plan.refused):
        match = ENTITY.fullmatch(entity.entity)
        yield from (match[2] if match else entity.entity, *entity.needed_by)


def redacted_partition(repaired: Repaired, topic: str, words: DocumentWords) -> Document:
    """`topic`: the name that the call gives it, where the input does not."""
    plan, recommended = repaired.plan, repaired.recommended
    topic = topic or words.topic(repaired.topic)
    return {
        "topic": topic,
        "partition": repaired.partition,
        "is_complete": repaired.is_complete,
        "recommended": recommended.id if recommended else None,
        "recovered": [entity_name(name, repaired, words) for name in plan.recovered],
        "stays_unchanged": [words.sentence(text) for text in plan.settled],
        "corrected": [words.sentence(text) for text in plan.corrected],
        "missing": [redacted_missing(entity, repaired, words) for entity in plan.missing],
        "refused": [redacted_missing(entity, repaired, words) for entity in plan.refused],
        "without_records": [
            {
                "title": words.sentence(measure.title),
                "is_alternative": measure.is_alternative,
                "steps": [words.sentence(step) for step in measure.steps],
            }
            for measure in plan.measures
        ],
        "unfinished": sorted(repaired.unfinished.offsets),
        "methods": [redacted_method(way, repaired, topic, words) for way in repaired.ways],
    }


def entity_name(name: str, repaired: Repaired, words: DocumentWords) -> str:
    """An id of the journal, which also an older dump may have."""
    return words.of_our_own(name) if words.shows_ids_of(repaired.topic) else words.name(name)


def redacted_missing(missing: MissingEntity, repaired: Repaired, words: DocumentWords) -> Document:
    """The entity may also be the title of a finding, which may quote data."""
    return {
        "entity": in_our_words(missing.entity, words, words.name),
        "needed_by": [entity_name(name, repaired, words) for name in missing.needed_by],
        "why": words.sentence(missing.sought),
    }


def in_our_words(text: str, words: DocumentWords, name: Callable[[str], str]) -> str:
    """What a plan calls an entity or a record; `name` replaces the name in it."""
    match = ENTITY.fullmatch(text)
    if match is None or words.shows_sentences:
        return words.sentence(text)
    return match[1] + (name(match[2]) if match[2] else "")


def redacted_method(way: RepairOption, repaired: Repaired, topic: str, words: DocumentWords) -> Document:
    """Sources consist of offsets and of what `planned` calls the inputs."""
    failed = [outcome for outcome in way.outcomes if not outcome.holds]
    return {
        "id": way.id,
        "is_valid": way.holds,
        "records": way.records,
        "added": [
            {
                "record": in_our_words(
                    record.what, words, partial(entity_name, repaired=repaired, words=words)
                ),
                "source": words.of_our_own(record.source),
            }
            for record in way.added
        ],
        "removed_offsets": sorted(way.left_out),
        "tried_releases": sorted({outcome.release for outcome in way.outcomes}),
        "tried_starts": len(way.outcomes),
        "failed_starts": [
            {
                "release": outcome.release,
                "steps": list(outcome.steps),
                "missing": len(outcome.lacks),
                "reappearing": len(outcome.returns),
                "changed": len(outcome.differs),
            }
            for outcome in failed
        ],
        "verdict": way.verdict.get("level"),
        "findings": [
            {name: finding[name] for name in ("detector", "severity", "first_offset")}
            for finding in way.findings
        ],
        "needs": [words.of_our_own(need) for need in way.needs],
        "steps": steps_of(way, repaired, topic, words),
    }


def steps_of(way: RepairOption, repaired: Repaired, topic: str, words: DocumentWords) -> list[str]:
    """All steps where their names are shown: they consist of topics, names and ids. Those of a registry of schemas name what
    keys contain, those of Apicurio Registry the versions to fetch."""
    if words.shows_sentences or words.shows_ids_of(repaired.topic):
        return [words.of_our_own(step) for step in way.steps]
    if repaired.plan.steps_of is not None:
        return [HIDDEN_STEPS]
    return steps(way.id, topic, f"{topic}-repaired")


def untouched(other: Untouched, words: DocumentWords) -> Document:
    """Of the reason all but titles of findings, which end it."""
    why, findings, _ = other.sentence.partition(FINDINGS)
    return {
        "topic": words.topic(other.topic),
        "partition": other.partition,
        "dialect": other.dialect,
        "why": words.of_our_own(
            other.sentence if words.shows_sentences or not findings else f"{why}{OTHER_FINDINGS}"
        ),
    }
