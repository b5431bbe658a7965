"""The section "Example" of a detector's page, as blocks of input and what the detector must say of them.

    Example  => Case+
    Case     => (Table | Fence)+ Judgement+
    Table    => a Markdown table; the last partition or file that the paragraph above it names, if it ends in ":", is what it shows
    Fence    => a fenced block; its info string is a language and a file name: ```text paste.txt
    Judgement => "Finding: **severity**[, confidence][, offset N | , offsets N-M]. [... *part of the title* ...]"
              | "No finding[: why]."

Source: docs/contributing/first-detector.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

NAMED = re.compile(r"`([\w.-]+-\d+(?:/[\w.-]+)?)`(?!.*`[\w.-]+-\d+(?:/[\w.-]+)?`).*:$")
FINDING = re.compile(
    r"Finding: \*\*(?P<severity>critical|high|medium|low|info)\*\*(?:, (?P<confidence>proven|likely))?"
    r"(?:, offsets? (?P<first>\d+)(?:-(?P<last>\d+))?)?\."
)
TITLE = re.compile(r"(?<!\*)\*([^*]+)\*(?!\*)")
JUDGEMENT = re.compile(r"Finding|No finding\b")


@dataclass(frozen=True)
class Block:
    """A table (`rows`) or a fenced text; `name`: the partition or file it shows, empty where the page names none."""

    name: str
    rows: Sequence[Mapping[str, str]] = ()
    text: str = ""
    language: str = ""


@dataclass(frozen=True)
class Expected:
    """One finding that the page announces."""

    severity: str
    confidence: str | None
    first_offset: int | None
    last_offset: int | None
    title: str  # a part of it


@dataclass(frozen=True)
class Case:
    """Input, and the findings in it; none where it is innocent."""

    blocks: Sequence[Block]
    expected: Sequence[Expected]


def cases(markdown: str) -> list[Case]:
    """The cases of a page. Raises ValueError for a block without a judgement, and for a judgement that cannot be read."""
    found: list[Case] = []
    blocks: list[Block] = []
    judged: list[str] = []
    for part in parts(section(markdown)):
        if isinstance(part, Block):
            if judged:
                found, blocks, judged = [*found, Case(blocks, expected(judged))], [], []
            blocks = [*blocks, part]
        elif JUDGEMENT.match(part):
            judged = [*judged, part]
    if not judged:
        message = (
            "the example does not end in a line such as 'Finding: **high**, offsets 4-9.' or 'No finding.'"
        )
        raise ValueError(message)
    return [*found, Case(blocks, expected(judged))]


def section(markdown: str) -> str:
    """The text below the heading "Example"."""
    _, _, rest = markdown.partition("## Example\n")
    return rest.partition("\n## ")[0]


def parts(text: str) -> Iterator[Block | str]:
    """Blocks and paragraphs in their order."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    above = ""
    for at, token in enumerate(tokens):
        if token.type == "paragraph_open":
            above = tokens[at + 1].content.replace("\n", " ")
            yield above
        elif token.type == "fence":
            language, _, name = token.info.partition(" ")
            yield Block(name, text=token.content, language=language)
        elif token.type == "table_open":
            named = NAMED.search(above)
            yield Block(named[1] if named else "", rows(tokens[at:]))


def rows(tokens: Sequence[Token]) -> list[Mapping[str, str]]:
    """The rows of the table that begins here, by the words of its header."""
    lines: list[list[str]] = []
    for at, token in enumerate(tokens):
        if token.type == "tr_open":
            lines.append([])
        elif token.type in {"th_open", "td_open"}:
            lines[-1].append(cell(tokens[at + 1].content))
        elif token.type == "table_close":
            break
    header, *body = lines
    return [dict(zip(header, line, strict=True)) for line in body]


def cell(content: str) -> str:
    """A cell without the marks of bold and of code around it."""
    bare = content.strip().removeprefix("**").removesuffix("**")
    return bare[1:-1] if re.fullmatch(r"`[^`]*`", bare) else bare


def expected(paragraphs: Sequence[str]) -> list[Expected]:
    """What the judgements announce; nothing where they say "No finding"."""
    return [announced(text) for text in paragraphs if not text.startswith("No finding")]


def announced(text: str) -> Expected:
    """One announced finding; the words in italics are a part of its title."""
    match = FINDING.match(text)
    if match is None:
        message = f"not of the form 'Finding: **high**, proven, offsets 4-9.': {text}"
        raise ValueError(message)
    first, last = match["first"], match["last"] or match["first"]
    title = TITLE.search(text[match.end() :])
    return Expected(
        match["severity"],
        match["confidence"],
        None if first is None else int(first),
        None if last is None else int(last),
        title[1] if title else "",
    )
