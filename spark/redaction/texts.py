"""Texts of a share: typed text with its values told as the share tells them; literals are our own words and stay.

A name that is hidden is a pseudonym, the same everywhere: in titles, effects, tables (spark/redaction/shown_names.py). What
nobody typed cannot be told apart from data and is hidden whole, but for the phrases of `spark.terms.table_phrases`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from spark.redaction.shown_names import ShownNames
from spark.terms.table_phrases import is_phrase

HIDDEN = "[hidden]"


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
