"""Typed text in a share: values redacted by kind; literals, flags of commands and placeholders stay.

numbers, times, offsets    stay
names                      masked where the share shows them (spark/redaction/shown_names.py), else pseudonyms
topics, copies, files      by the share's names; files that Kafka names (spark/redaction/kafka_names.py) stay
hashes, quoted data        masked where keys and values are shown, else pseudonyms and hidden; the code's own phrases stay

A name's pseudonym is the same in titles, effects and tables. Text without types could quote data and is hidden as a whole,
except the phrases of `spark.terms.table_phrases`. Code with a hidden name does not work and says so (`hides`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from spark.redaction.kafka_names import NUMBERED_COPY, is_of_kafka
from spark.redaction.masking.masks import MASKED, ShareMasks
from spark.redaction.shown_names import ShownNames, without_percent
from spark.terms.table_phrases import is_phrase
from spark.terms.typed_text import CODE, line_of

HIDDEN = "[hidden]"
NOUNS = ("replica ", "output ")  # before the name of a copy


@dataclass(frozen=True)
class ShareTexts:
    """The replacements of names in one share. `names`: those in the data; `topics`, `copies`, `files`: replacement by name."""

    names: ShownNames
    topics: Mapping[str, str]
    copies: Mapping[str, str]
    files: Mapping[str, str]
    partitions: Mapping[str, str]

    def phrase(self, text: str | None) -> str | None:
        """A table's sentence: one of our phrases, or hidden."""
        return text if text is None or is_phrase(text) else HIDDEN

    def renamed(self, text: str | None) -> str | None:
        """Shown data with the share's names for topics, copies and files."""
        if not text or self._hidden_names is None:
            return text
        return self._hidden_names.sub(lambda match: self._small_names[match[0].casefold()], text)

    @property
    def renames_any(self) -> bool:
        return self._hidden_names is not None

    @cached_property
    def _small_names(self) -> dict[str, str]:
        names = {**self.files, **self.topics, **self.copies, **self.partitions}
        return {name.casefold(): replacement for name, replacement in names.items() if name != replacement}

    @cached_property
    def _hidden_names(self) -> re.Pattern[str] | None:
        either = "|".join(map(re.escape, sorted(self._small_names, key=len, reverse=True)))
        return re.compile(rf"(?<![A-Za-z0-9])(?:{either})(?![A-Za-z0-9])", re.IGNORECASE) if either else None


Segment = Mapping[str, Any]
Block = Mapping[str, Any]
PLAIN = frozenset({"offset", "number", "time", "step", "item"})
MASKABLE = frozenset({"entity", "key", "file", "name", "hash", "quote", "url"})


class TypedTexts:
    """Redacts typed texts of one share. `shows_names`: whether everything in keys and values is shown."""

    def __init__(self, texts: ShareTexts, masks: ShareMasks, shows_names: bool) -> None:
        self._texts, self._masks, self._shows_names = texts, masks, shows_names
        self._places = {"topic": texts.topics, "replica": texts.copies, "file": texts.files}

    def blocks(self, blocks: Sequence[Block], hidden: frozenset[str] = frozenset()) -> list[Block]:
        """A text; values of the kinds in `hidden` are always hidden."""
        return [self._block(block, hidden) for block in blocks]

    def name(self, text: str) -> str:
        """A name or an entity's id, as in the tables."""
        if not self._shows_names and not self._texts.names.shows(text):
            return self._masked(self._texts.names.text_of(text))
        return self._masked(text)

    def key(self, text: str) -> str:
        """A key: shown if it is the id of a shown entity."""
        is_shown = self._shows_names or self._texts.names.shows(text)
        return self._masked(text) if is_shown else self._texts.names.hashed("key", text)

    def _masked(self, text: str) -> str:
        for each in dict.fromkeys((without_percent(text), text)):
            masked_text = self._texts.renamed(self._masks.text(each)) or ""
            if masked_text != each:
                return masked_text
        return text

    def _block(self, block: Block, hidden: frozenset[str]) -> Block:
        segments = without_second_noun([self._segment(segment, hidden) for segment in block["segments"]])
        line = line_of(segments)
        if self._masks.are_any and self._masks.text(line) != line:
            segments = [masked(segment) for segment in segments]  # what fits stands partly in our own words
        return {**block, "segments": segments}

    def _segment(self, segment: Segment, hidden: frozenset[str]) -> Segment:
        kind = segment.get("kind", "")
        if kind == "offset" and "value" in segment:
            return {**segment, "value": self._texts.copies.get(segment["value"], HIDDEN)}
        if not kind or kind in PLAIN:
            return segment
        if kind == CODE:
            inner = [self._segment(each, hidden) for each in segment["segments"]]
            return code_of(inner, hides=line_of(inner) != line_of(segment["segments"]))
        return {"kind": kind, **(self._value(segment, kind) if kind not in hidden else {"text": HIDDEN})}

    def _value(self, segment: Segment, kind: str) -> dict[str, Any]:
        """Text, and the value unless the text already states it."""
        text, value = segment["text"], segment.get("value")
        if kind == "partition":
            return self._partition(text, value)
        if text in self._places.get(kind, ()):
            return {"text": self._places[kind][text]}
        if (kind == "file" and is_of_kafka(text) and "/" not in text) or (
            kind == "quote" and is_phrase(text)
        ):
            return {"text": text}
        if kind == "entity":
            return self._entity(text, *(value or ("", text)))
        if self._shows_names:
            masked = self._masked(text)
            return {"text": masked, **({"value": value} if value is not None and masked == text else {})}
        if kind in ("quote", "url"):
            return {"text": HIDDEN}
        if kind in ("hash", "file", "replica"):
            return {"text": self._texts.names.hashed(kind, str(value or text))}
        return {"text": self.key(text) if kind == "key" else self.name(text)}

    def _entity(self, text: str, entity_type: str, identity: str) -> dict[str, Any]:
        """The sentence's word for the entity is kept if its id is shown."""
        pseudonym = self.name(identity)
        called = self._masked(text) if pseudonym == identity else pseudonym
        return {"text": called, "value": [entity_type, pseudonym]}

    def _partition(self, text: str, value: Any) -> dict[str, Any]:
        topic, number = value or (text, None)
        topic_text = self._value({"text": str(topic)}, "topic")["text"]
        return {"text": f"{topic_text}-{number}", "value": [topic_text, number]}


def without_second_noun(segments: list[Segment]) -> list[Segment]:
    """`(replica 1 of 14)`, where the name of a copy begins with what our own words call it."""
    redacted = list(segments)
    for number, (before, segment) in enumerate(pairwise(segments)):
        if (
            segment.get("kind") == "replica"
            and not before.get("kind")
            and NUMBERED_COPY.match(segment["text"])
        ):
            text = before["text"]
            noun = next((noun for noun in NOUNS if text.endswith(noun)), "")
            redacted[number] = {**before, "text": text.removesuffix(noun)}
    return redacted


def masked(segment: Segment) -> Segment:
    if segment.get("kind") == CODE:
        inner = [masked(each) for each in segment["segments"]]
        return code_of(inner, hides=bool(segment.get("hides")) or inner != list(segment["segments"]))
    return {"kind": segment["kind"], "text": MASKED} if segment.get("kind") in MASKABLE else segment


def code_of(segments: Sequence[Segment], *, hides: bool) -> Segment:
    """Code. `hides`: it contains a name that the share replaces."""
    return {"kind": CODE, "text": line_of(segments), "segments": segments} | (
        {"hides": True} if hides else {}
    )
