"""Typed text: the form of a marked text in report.json, so that no one has to parse sentences (docs/report.md).

    text    => [block, ...]
    block   => {kind: paragraph | step | item, number?, segments: [segment, ...]}
    segment => {text} | {kind, text, value?} | {kind: code, text, hides?, segments: [{text} | {kind, text, value?}, ...]}

`hides`: a share hides a name in it. A block is a line; a segment without kind is a literal. A pair of backticks in literals
makes code of the text between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from spark.terms.marked import LAYOUT_KINDS, Piece, pieces, plain

Segment = dict[str, Any]
Block = dict[str, Any]
Blocks = Sequence[Mapping[str, Any]]
CODE = "code"
PREFIXES = {"step": "{number}. ", "item": "- ", "paragraph": ""}


def typed(text: str | None) -> list[Block]:
    return [block(line) for line in lines(pieces(text))] if text else []


def lines(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Pieces by line: line feeds of literals separate lines, those of values do not."""
    result: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.kind:
            result[-1].append(piece)
            continue
        first, *others = piece.text.split("\n")
        result[-1] += [Piece("", first)] if first else []
        result += [[Piece("", other)] if other else [] for other in others]
    return result


def block(line: Sequence[Piece]) -> Block:
    """A line as a block; a layout mark at its start decides the kind."""
    kind, number = "paragraph", None
    if line and line[0].kind in LAYOUT_KINDS:
        kind, number, line = line[0].kind, line[0].value, line[1:]
    begun = {"kind": kind} | ({} if number is None else {"number": number})
    return begun | {"segments": segments(line)}


def segments(line: Sequence[Piece]) -> list[Segment]:
    """The line's segments; code contains segments."""
    ticks = sum(piece.text.count("`") for piece in line if not piece.kind)
    if not ticks or ticks % 2:  # a lone backtick is a letter like any other
        return [segment(piece) for piece in line]
    result: list[Segment] = []
    inside: list[Segment] | None = None
    for piece in line:
        for number, text in enumerate([piece.text] if piece.kind else piece.text.split("`")):
            if number and inside is not None:
                result.append(code(inside))
            if number:
                inside = [] if inside is None else None
            if piece.kind or text:
                (result if inside is None else inside).append(segment(piece._replace(text=text)))
    return result


def code(inside: list[Segment]) -> Segment:
    """The text between two backticks as one segment."""
    return {"kind": CODE, "text": "".join(each["text"] for each in inside), "segments": inside}


def segment(piece: Piece) -> Segment:
    kind = {"kind": piece.kind} if piece.kind else {}
    return {**kind, "text": piece.text, **({} if piece.value is None else {"value": piece.value})}


def plain_of(blocks: Blocks) -> str:
    return "\n".join(prefix(each) + line_of(each["segments"]) for each in blocks)


def prefix(block: Mapping[str, Any]) -> str:
    """`2. `, `- ` or nothing."""
    return PREFIXES[block["kind"]].format(number=block.get("number"))


def line_of(parts: Iterable[Mapping[str, Any]]) -> str:
    return "".join(f"`{each['text']}`" if each.get("kind") == CODE else str(each["text"]) for each in parts)


def commands(block: Mapping[str, Any]) -> list[str]:
    """The code of a block without commands in which a share hides a name."""
    return [each["text"] for each in block["segments"] if each.get("kind") == CODE and not each.get("hides")]


def actions(blocks: Blocks) -> list[dict[str, Any]]:
    """The steps of a remedy with their commands; a remedy without steps counts as one."""
    steps = [each for each in blocks if each["kind"] == "step"] or [
        each for each in blocks if each["segments"]
    ][:1]
    return [{"text": line_of(each["segments"]), "commands": commands(each)} for each in steps]


def with_typed(document: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The document with these texts (or lists of texts) as plain text, and with their blocks in `typed`."""
    texts = {name: document[name] for name in names if document.get(name) is not None}

    def each(change: Callable[[str], Any], text: Any) -> Any:
        return list(map(change, text)) if isinstance(text, list) else change(text)

    texts_as_read = {name: each(plain, text) for name, text in texts.items()}
    blocks = {name: each(typed, text) for name, text in texts.items()}
    return {**document, **texts_as_read, "typed": blocks}
