"""Steps of a plan as the Overview shows them: the action with its warnings and commands, the other sentences in a fold.

Findings of one incident often have the same step with another name in it: it is there once, the others below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby, takewhile
from typing import Any

from webapp.reports.typed_text import Block, Segments, blocks_of, in_blocks, is_command

MAX_STEPS = 6
MIN_STEPS = 3  # shown however long they are
MAX_WORDS = 70  # of the steps that are shown, without their commands: these are copied, not read
ROWS_BESIDE = 2  # rows of victims that are as high as these
WORDS_OF_ROW = 20  # more of them for each further row: about its height
MIN_FOLDED_WORDS = 8  # fewer are not worth a fold
WORDS_ALIKE = 3  # steps of two findings that begin alike are one step
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
WARNING = "Warning:"
WORD_BEFORE = re.compile(r"\w+ $")
Step = tuple[str | None, Segments]  # the finding that it is for, None where all findings have it


@dataclass(frozen=True)
class ShortStep:
    """`lead` is shown, `rest` in a fold. `alike`: what differs in the same step for other findings of the incident."""

    sentences: Sequence[Segments]
    lead: Segments
    rest: Segments = ()
    alike: Sequence[Segments] = ()

    @property
    def whole(self) -> Segments:
        """All of it, for a fold of its own."""
        return joined(self.sentences)

    @property
    def for_all(self) -> Segments:
        """All of it, and what differs for the other findings behind it."""
        others = [
            [{"text": f"{'; ' if number else 'The same for: '}"}, *line]
            for number, line in enumerate(self.alike)
        ]
        return (
            joined([*self.sentences, [segment for other in others for segment in other]])
            if others
            else self.whole
        )

    @property
    def is_command_last(self) -> bool:
        """Whether what is shown ends with a command, so that the fold of the rest can stand beside it."""
        return any(map(is_command, self.lead[-1:]))

    @property
    def warning(self) -> Segments:
        return next(filter(is_warning, self.sentences), ())

    @property
    def without_warning(self) -> Segments:
        """All but the warning, where that is shown already."""
        return joined(sentence for sentence in self.sentences if sentence is not self.warning)


@dataclass(frozen=True)
class ShortPlan:
    """At most MAX_STEPS and about MAX_WORDS, the last one a fold with the further steps where there are more."""

    steps: Sequence[ShortStep] = ()
    further: Sequence[ShortStep] = field(default_factory=tuple)

    @property
    def warning(self) -> Segments:
        """The first step's warning: it holds for whatever else is done."""
        return self.steps[0].warning if self.steps else ()

    @property
    def count(self) -> int:
        """Number of steps."""
        return len(self.steps) + len(self.further)


def steps_of(plan: Iterable[Mapping[str, Any]], remedy: Iterable[Block]) -> list[Step]:
    """Lines of an incident's plan; without one, those of its only finding's remedy."""
    lines = [
        (step["finding"], line)
        for step in plan
        for block in in_blocks(blocks_of(step, "step"))
        for line in block.lines
    ]
    return lines or [(None, line) for block in remedy for line in block.lines]


def short_plan(steps: Iterable[Step], rows: int = 1) -> ShortPlan:
    """`rows`: of victims beside it."""
    plan: list[ShortStep] = []
    for is_common, group in groupby(steps, key=lambda step: step[0] is None):
        lines = [step for _, step in group]
        plan += map(short_step, lines) if is_common else _of_findings(lines)
    prose = [[segment for segment in step.lead if not is_command(segment)] for step in plan]
    room = fitting(prose, MAX_WORDS + WORDS_OF_ROW * max(0, rows - ROWS_BESIDE), MIN_STEPS)
    if room == len(plan) <= MAX_STEPS:
        return ShortPlan(plan)
    at = min(room, MAX_STEPS - 1)
    return ShortPlan(plan[:at], plan[at:])


def fitting(lines: Sequence[Segments], max_words: int, least: int) -> int:
    """How many of the first lines have no more than so many words together; `least` of them however long they are."""
    words = accumulate(len(plain(line).split()) for line in lines)
    return max(sum(count <= max_words for count in words), min(least, len(lines)))


def _of_findings(steps: Iterable[Segments]) -> Iterator[ShortStep]:
    """Steps that are not common to all findings: those that begin alike are one, each text once."""
    by_beginning: dict[tuple[str, ...], list[Segments]] = {}
    for step in steps:
        texts = by_beginning.setdefault(tuple(plain(step).split()[:WORDS_ALIKE]), [])
        if all(plain(text) != plain(step) for text in texts):
            texts.append(step)
    for first, *others in by_beginning.values():
        yield short_step(first, [differing(other, first) for other in others])


def differing(step: Segments, first: Segments) -> Segments:
    """What a step says that the first one alike does not: of one sentence the values, of several these sentences."""
    theirs, ours = sentences_of(first), sentences_of(step)
    texts = {plain(sentence) for sentence in theirs}
    own = [sentence for sentence in ours if plain(sentence) not in texts]
    if len(own) != 1 or len(ours) != len(theirs):
        return joined(own)
    return values_in(own[0], theirs[ours.index(own[0])])


def values_in(sentence: Segments, other: Segments) -> Segments:
    """From the first value that differs to the last value of the sentence, with the word before them: `ID 4`. The whole sentence, if
    it ends in other words."""
    pairs = zip(sentence, other, strict=False)
    start = len(list(takewhile(lambda pair: pair[0]["text"] == pair[1]["text"], pairs)))
    end = end_of_values(sentence)
    if not 0 < start < end or plain(sentence[end:]) != plain(other[end_of_values(other) :]):
        return sentence
    word = WORD_BEFORE.search(sentence[start - 1]["text"])
    values = [*([{"text": word[0]}] if word else []), *sentence[start:end]]
    is_open = plain(values).count("(") > plain(values).count(")")
    return [*values, {"text": ")"}] if is_open else values


def end_of_values(sentence: Segments) -> int:
    """Number of segments up to the last value."""
    return max((number for number, segment in enumerate(sentence, 1) if segment.get("kind")), default=0)


def short_step(step: Segments, alike: Sequence[Segments] = ()) -> ShortStep:
    """Its action, warnings and commands, and the rest of it."""
    sentences = sentences_of(step)
    leads = [
        number == 0 or is_warning(sentence) or has_command(sentence)
        for number, sentence in enumerate(sentences)
    ]
    if len(sentences) > 1 and is_warning(sentences[0]) and not any(map(has_command, sentences)):
        leads[1] = True  # what to do follows the warning
    rest = [sentence for sentence, is_lead in zip(sentences, leads, strict=True) if not is_lead]
    if sum(len(plain(sentence).split()) for sentence in rest) < MIN_FOLDED_WORDS:
        return ShortStep(sentences, joined(sentences), (), alike)
    lead = [sentence for sentence, is_lead in zip(sentences, leads, strict=True) if is_lead]
    return ShortStep(sentences, joined(lead), joined(rest), alike)


def sentences_of(segments: Segments) -> list[list[Mapping[str, Any]]]:
    """The sentences of a line; a command ends its own, without a full stop behind it."""
    sentences: list[list[Mapping[str, Any]]] = [[]]
    for segment in segments:
        if segment.get("kind"):
            sentences[-1].append(segment)
            continue
        first, *others = SENTENCE_END.split(segment["text"])
        is_stop = first.strip() == "." and bool(sentences[-1]) and is_command(sentences[-1][-1])
        sentences[-1] += [{"text": first}] if first and not is_stop else []
        sentences += [[{"text": text}] if text else [] for text in others]
    return [sentence for sentence in sentences if sentence]


def joined(sentences: Iterable[Segments]) -> Segments:
    """Sentences as one line."""
    line: list[Mapping[str, Any]] = []
    for sentence in sentences:
        line += [{"text": " "}, *sentence] if line else sentence
    return line


def is_warning(sentence: Segments) -> bool:
    return plain(sentence).startswith(WARNING)


def has_command(sentence: Segments) -> bool:
    return any(map(is_command, sentence))


def plain(segments: Segments) -> str:
    """Their text."""
    return "".join(segment["text"] for segment in segments)
