"""Texts of findings cut into lists and paragraphs: a numbered line is a step, one with a dash an item, any other a paragraph."""

from __future__ import annotations

import re
from dataclasses import dataclass

NUMBERED = re.compile(r"^\s*\d")
STEP = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s+")
FIRST_CLAUSE = re.compile(r"^(.{12,140}?)(?:[.:;](?=\s)|[.:;]?$)", re.DOTALL)
CODE = re.compile(r"`[^`]*`")
SHORT = 110
WARNING = "Warning: "
SENTENCE_END = re.compile(r"(?<=\.)\s+(?=[A-Z])")


@dataclass
class Block:
    """Either steps, or items in no order, or one paragraph."""

    is_list: bool
    lines: list[str]
    is_numbered: bool = False


def blocks(text: str) -> list[Block]:
    """The text in order; steps that follow each other are one list."""
    found: list[Block] = []
    for line in (text or "").splitlines():
        if not line.strip():
            continue
        is_item = bool(STEP.match(line))
        is_step = is_item and bool(NUMBERED.match(line))
        if is_item and found and found[-1].is_list and found[-1].is_numbered == is_step:
            found[-1].lines.append(STEP.sub("", line).strip())
        else:
            found.append(Block(is_item, [STEP.sub("", line).strip()], is_step))
    return found


def short_steps(text: str) -> list[str]:
    """Each step's first clause, without commands: what fits beside the page. A text without steps is one."""
    found = blocks(text)
    lines = [line for block in found if block.is_list for line in block.lines] or [
        b.lines[0] for b in found[:1]
    ]
    return [_first_clause(line) for line in lines]


def _first_clause(line: str) -> str:
    """Of a step that begins with a warning: that, and what to do, which stands last."""
    first, *others = SENTENCE_END.split(CODE.sub("", line).strip())
    if others and first.startswith(WARNING):
        return f"{_shortened(first)}. {_shortened(others[-1])}"
    return _shortened(CODE.sub("", line).strip())


def _shortened(text: str) -> str:
    start = WARNING if text.startswith(WARNING) else ""
    match = FIRST_CLAUSE.match(text.removeprefix(start))
    clause = (match[1] if match else text.removeprefix(start)).strip()
    return start + (clause if len(clause) <= SHORT else clause[: SHORT - 1].rsplit(" ", 1)[0] + "…")
