"""Typed text in a share: every value as the share tells it, by its kind; literals, flags of commands and placeholders stay.

all names shown     values are masked; topics, copies and files as the share calls them
else                numbers, times and offsets stay; names are pseudonyms; what quotes data is hidden
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spark.redaction.masking.masks import MASKED, ShareMasks
from spark.redaction.texts import HIDDEN, ShareTexts
from spark.terms.typed_text import CODE, line_of

Segment = Mapping[str, Any]
Block = Mapping[str, Any]
PLAIN = frozenset({"offset", "number", "time", "step", "item"})
MASKABLE = frozenset({"entity", "key", "file", "name", "hash", "quote", "url"})


class TypedTexts:
    """Redacts typed text of one share. `shows_names`: whether names out of keys and values are shown."""

    def __init__(self, texts: ShareTexts, masks: ShareMasks, shows_names: bool) -> None:
        self._texts, self._masks, self._shows_names = texts, masks, shows_names
        self._places = {"topic": texts.topics, "replica": texts.copies, "file": texts.files}

    def blocks(self, blocks: Sequence[Block], hidden: frozenset[str] = frozenset()) -> list[Block]:
        """A text; values of the kinds `hidden` are hidden whatever is shown."""
        return [self._block(block, hidden) for block in blocks]

    def entity(self, identity: str) -> str:
        """An entity's id, as the tables tell it."""
        if self._shows_names:
            return self._texts.renamed(self._masks.text(identity)) or ""
        return self._texts.name(identity)

    def _block(self, block: Block, hidden: frozenset[str]) -> Block:
        segments = [self._segment(segment, hidden) for segment in block["segments"]]
        line = line_of(segments)
        if self._shows_names and self._masks.are_any and self._masks.text(line) != line:
            segments = [masked(segment) for segment in segments]  # what fits stands partly in our own words
        return {**block, "segments": segments}

    def _segment(self, segment: Segment, hidden: frozenset[str]) -> Segment:
        kind = segment.get("kind", "")
        if not kind or kind in PLAIN:
            return segment
        if kind == CODE:
            inner = [self._segment(each, hidden) for each in segment["segments"]]
            return {"kind": CODE, "text": line_of(inner), "segments": inner}
        return {"kind": kind, **(self._value(segment, kind) if kind not in hidden else {"text": HIDDEN})}

    def _value(self, segment: Segment, kind: str) -> dict[str, Any]:
        """Text and, where the text does not say it, value."""
        text, value = segment["text"], segment.get("value")
        if kind == "partition":
            return self._partition(text, value)
        if text in self._places.get(kind, ()):
            return {"text": self._places[kind][text]}
        if self._shows_names:
            shown = self._texts.renamed(self._masks.text(text)) or ""
            return {"text": shown, **({"value": value} if value is not None and shown == text else {})}
        if kind == "entity":
            entity_type, identity = value or ("", text)
            return {"text": self.entity(identity), "value": [entity_type, self.entity(identity)]}
        if kind in ("quote", "url"):
            return {"text": HIDDEN}
        return {"text": self._texts.name(str(value or text))}

    def _partition(self, text: str, value: Any) -> dict[str, Any]:
        topic, number = value or (text, None)
        shown = self._value({"text": str(topic)}, "topic")["text"]
        return {"text": f"{shown}-{number}", "value": [shown, number]}


def masked(segment: Segment) -> Segment:
    """Without the value."""
    if segment.get("kind") == CODE:
        inner = [masked(each) for each in segment["segments"]]
        return {"kind": CODE, "text": line_of(inner), "segments": inner}
    return {"kind": segment["kind"], "text": MASKED} if segment.get("kind") in MASKABLE else segment
