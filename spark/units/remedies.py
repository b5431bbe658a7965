"""Remedies as pages of detectors hold them, in the section "What to do": reports show this text, with values of the data in it.

    section     => variant | prose ("### " title variant)+
    variant     => ("1. " step)+ | paragraph
    step        => ["*If " ["there are "] condition ":* " | "*Otherwise:* "] text
    placeholder => "{" name "}" | "{" kind "}" | "{" kind ":" name "}"

Reports number the steps whose conditions the detector gives; "Otherwise" holds if no condition since the last step without one
or "Otherwise" did. A paragraph beside steps is for readers of the page.

A kind says what a value is (`spark.terms.marked`); a name without a kind is a text that the detector has marked. Three kinds are no
values: `{step:name}` is a step of docs/steps.md, `{steps:name}` several that the detector computes, `{command:name}` a command of
`spark.terms.topic_commands`. In code, between backticks, a topic has a legal name, and an unknown value is a word to fill in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from spark.terms import marked, topic_commands
from spark.terms.typed_wording import grouped, steps

PLACEHOLDER = re.compile(r"\{(?:([a-z]+):)?([a-z][A-Za-z\s]*)\}")
SENTENCE = re.compile(
    r"(?:(?<=\. )|(?<=:\* ))\{(?:(steps):)?([a-z][A-Za-z ]*)\}$", re.MULTILINE
)  # ends a step
CONDITION = re.compile(r"\*(?:If (?:there (?:are|is) )?([^:*]+)|Otherwise):\* ")
NUMBER = re.compile(r"\d+\. ")
TITLE = "### "
TOPIC, STEP, STEPS, COMMAND = "topic", "step", "steps", "command"
OTHERWISE = "otherwise"
PATHS = {
    "path of the content": "groups/GROUP/artifacts/ARTIFACT/versions/VERSION"
}  # values of several words to fill in
KINDS: Mapping[str, Callable[[Any], str]] = {
    TOPIC: marked.topic,
    "offset": marked.offset,
    "number": marked.number,
    "count": grouped,
    "partition": lambda of: marked.partition(*of),
    "replica": marked.replica,
    "entity": marked.entity,
    "key": marked.key,
    "file": marked.file,
    "name": marked.name,
    "hash": marked.hash_of,
    "quote": marked.quote,
}
COMMANDS: Mapping[str, tuple[Callable[..., str], tuple[str, ...]]] = {
    "take dump": (topic_commands.take_dump, (TOPIC,)),
    "copy segments": (topic_commands.copy_segments, (TOPIC, "partition")),
    "keep cleaner away": (topic_commands.keep_cleaner_away, (TOPIC,)),
    "let cleaner work": (topic_commands.let_cleaner_work, (TOPIC,)),
}  # with the values that each takes


@dataclass(frozen=True)
class RemedyStep:
    """A step, or a paragraph. `condition`: the name of the value that decides; "otherwise"; empty: always."""

    text: str
    condition: str = ""

    def lines(self, values: Mapping[str, Any]) -> Sequence[str]:
        """What it comes to: one line, or steps that the detector computed."""
        whole = PLACEHOLDER.fullmatch(self.text)
        if whole and whole[1] == STEPS:
            return list(values[identifier(whole[2])])
        return [with_values(self.text, values)]


@dataclass(frozen=True)
class Remedy:
    """One variant."""

    steps: tuple[RemedyStep, ...]
    is_numbered: bool

    @property
    def names(self) -> set[str]:
        """Names of the values that it takes."""
        conditions = {step.condition for step in self.steps} - {"", OTHERWISE}
        return conditions | {name for step in self.steps for name in value_names(step.text)}

    def filled(self, values: Mapping[str, Any]) -> str:
        """Marked text with these values."""
        lines = [line for step in self.chosen(values) for line in step.lines(values)]
        return steps(lines) if self.is_numbered else "\n".join(lines)

    def chosen(self, values: Mapping[str, Any]) -> Iterator[RemedyStep]:
        """The steps whose conditions hold."""
        any_held = False
        previous = ""
        for step in self.steps:
            if step.condition == OTHERWISE:
                holds = not any_held
            elif step.condition:
                holds = bool(values[step.condition])
                any_held = holds or (any_held and previous != OTHERWISE)
            else:
                holds, any_held = True, False
            previous = step.condition
            if holds:
                yield step


def remedies(section: str, shared: Mapping[str, str]) -> dict[str, Remedy]:
    """The variants of a section by title; one without title is the only one. `shared`: the steps of docs/steps.md."""
    first, *titled = re.split(f"^{TITLE}", with_shared(section, shared), flags=re.MULTILINE)
    if not titled:
        return {"": variant(first)}
    parts = (part.partition("\n") for part in titled)
    return {title.strip(): variant(text) for title, _, text in parts}


def with_shared(text: str, shared: Mapping[str, str]) -> str:
    """The text with the shared steps that it names."""
    return PLACEHOLDER.sub(
        lambda match: with_shared(shared[named(match)], shared) if match[1] == STEP else match[0], text
    )


def variant(text: str) -> Remedy:
    """Steps, or a paragraph."""
    blocks: list[str] = []
    for line in text.strip().splitlines():
        if NUMBER.match(line) or not line.strip() or not blocks:
            blocks.append(line)
        else:
            blocks[-1] = f"{blocks[-1]} {line.strip()}".lstrip()
    numbered = [NUMBER.sub("", block, count=1) for block in blocks if NUMBER.match(block)]
    return Remedy(tuple(map(step, numbered or filter(None, blocks))), is_numbered=bool(numbered))


def step(text: str) -> RemedyStep:
    """A step with its condition."""
    match = CONDITION.match(text)
    if match is None:
        return RemedyStep(text)
    return RemedyStep(text[match.end() :], identifier(match[1]) if match[1] else OTHERWISE)


def named(match: re.Match[str]) -> str:
    """A placeholder's name, wherever the line breaks."""
    return " ".join(match[2].split())


def identifier(name: str) -> str:
    """A name as Python has it."""
    return "_".join(name.lower().split())


def value_names(text: str) -> Iterator[str]:
    """The values that a text takes."""
    for match in PLACEHOLDER.finditer(text):
        name = named(match)
        yield from COMMANDS[name][1] if match[1] == COMMAND else (identifier(name),)


def replaced(text: str, write: Callable[..., str]) -> str:
    """The text with what `write` gives for each placeholder and whether it is in code: between backticks."""
    prose, code = partial(write, is_code=False), partial(write, is_code=True)
    parts = text.split("`")
    return "`".join(PLACEHOLDER.sub(code if number % 2 else prose, part) for number, part in enumerate(parts))


def with_values(text: str, values: Mapping[str, Any]) -> str:
    """The text with marked values."""
    return replaced(text, partial(value_of, values=values))


def value_of(match: re.Match[str], is_code: bool, values: Mapping[str, Any]) -> str:
    """A placeholder's value, marked as what it is."""
    kind, name = match[1], named(match)
    if kind == COMMAND:
        write, parameters = COMMANDS[name]
        return write(*(values[parameter] for parameter in parameters))
    value = values[identifier(name)]
    kind = kind or (name if name in KINDS else "")
    if value is None and is_code:
        return to_fill_in(name)
    if kind == TOPIC and is_code:
        return topic_commands.named(value)
    if kind == "entity" and name != kind:
        return marked.entity(value, name)
    return KINDS[kind](value) if kind else str(value)


def as_read(text: str) -> str:
    """Markdown of a section for readers of the page: placeholders as `<words>`, in code as words to fill in, whole sentences as such."""
    return replaced(SENTENCE.sub(lambda match: f"{named(match).capitalize()}.", text), shown)


def shown(match: re.Match[str], is_code: bool) -> str:
    """A placeholder without a value."""
    kind, name = match[1], named(match)
    if kind == COMMAND:
        return COMMANDS[name][0](topic_commands.FILL_IN)
    return to_fill_in(name) if is_code else rf"*\<{name}\>*"


def to_fill_in(name: str) -> str:
    """The word, or words of a path, that stand for a value in code."""
    return PATHS.get(name, identifier(name).upper())
