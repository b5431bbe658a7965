"""Sentences without the names in them: the house's own words and known numbers stay, everything else becomes a mark.

A hidden word is a salted hash, so that the same name is told as the same name; more than two in a row are one mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from spark.redaction.hashing import NAME_DIGITS, digest
from spark.redaction.vocabulary import BETWEEN, EDGES, Vocabulary

HIDDEN = "[hidden]"
RUN = 2  # hidden words in a row that are still told apart
FOREVER = "9223372036854775807"  # as Kafka's settings write it
SMALL = 99  # counts up to here stand in sentences; larger numbers must be known
NUMBER = re.compile(r"-?\d[\d,_]*(\.\d+)?")
RANGE = re.compile(r"\d+-\d+")  # of offsets
MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z?)?|\d{2}:\d{2}(:\d{2}(\.\d+)?)?")
INNER = re.compile(BETWEEN)


@dataclass(frozen=True)
class Texts:
    """Redacts sentences of one share. `names`: names that may be told, and as what (topics, partitions)."""

    vocabulary: Vocabulary
    salt: bytes
    names: Mapping[str, str]

    def hide(
        self, text: str | None, numbers: Iterable[int] | None = (), hidden: frozenset[str] = frozenset()
    ) -> str | None:
        """The sentence. `numbers` may be told (None: any); `hidden` are words to hide even if the house uses them."""
        if text is None:
            return None
        known = None if numbers is None else frozenset(numbers)
        return "\n".join(self._line(line, known, hidden) for line in text.split("\n"))

    def renamed(self, text: str | None) -> str | None:
        """Text that is shown, with topics and copies called what the share calls them, in paths and file names as well."""
        if not text or self._hidden_names is None:
            return text
        return self._hidden_names.sub(lambda found: self._small_names[found[0].casefold()], text)

    @property
    def renames_any(self) -> bool:
        """Whether a name is told as another."""
        return self._hidden_names is not None

    @cached_property
    def _small_names(self) -> dict[str, str]:
        return {name.casefold(): told for name, told in self.names.items() if name != told}

    @cached_property
    def _hidden_names(self) -> re.Pattern[str] | None:
        either = "|".join(map(re.escape, sorted(self._small_names, key=len, reverse=True)))
        return re.compile(rf"(?<![A-Za-z0-9])(?:{either})(?![A-Za-z0-9])", re.IGNORECASE) if either else None

    def name(self, text: str) -> str:
        """What stands for a name."""
        return "name-" + digest(self.salt, text)[:NAME_DIGITS]

    def _line(self, line: str, numbers: frozenset[int] | None, hidden: frozenset[str]) -> str:
        told: list[str] = []
        run: list[str] = []
        for token in line.split(" "):
            shown = self._token(token, numbers, hidden)
            if shown is None:
                run.append(token)
                continue
            told += self._run(run)
            run = []
            told.append(shown)
        return " ".join([*told, *self._run(run)])

    def _run(self, tokens: list[str]) -> list[str]:
        if len(tokens) > RUN:
            return [HIDDEN]
        return [self._marked(token) for token in tokens]

    def _marked(self, token: str) -> str:
        core = token.strip(EDGES)
        start = token.find(core)
        kept = "".join(token[:start] if token[:start] in {"(", "`", "“", '"'} else "")
        end = token[start + len(core) :]
        return (
            kept
            + self.name(core)
            + (end if end in {",", ".", ";", ":", ")", "`", "”", '"', ").", "),", "`,", "`."} else "")
        )

    def _token(self, token: str, numbers: frozenset[int] | None, hidden: frozenset[str]) -> str | None:
        """The token as it is when all of it may be told; else None."""
        core = token.strip(EDGES)
        if core in self.names and core not in hidden:
            return token.replace(core, self.names[core])
        if MOMENT.fullmatch(core):
            return token if core not in hidden else None
        if NUMBER.fullmatch(core):
            return token if core not in hidden and self._number(core, numbers) else None
        parts = INNER.split(token)
        return token if all(self._part(part, numbers, hidden) for part in parts[::2]) else None

    def _part(self, part: str, numbers: frozenset[int] | None, hidden: frozenset[str]) -> bool:
        core = part.strip(EDGES)
        if not core:
            return part.isascii() or not any(character.isalnum() for character in part)
        if core in hidden:
            return False
        if self.names.get(core, core) != core:
            return False
        if self.names.get(core) == core or MOMENT.fullmatch(core):
            return True
        if NUMBER.fullmatch(core):
            return self._number(core, numbers)
        if RANGE.fullmatch(core):
            return all(self._number(end, numbers) for end in core.split("-"))
        word = core.casefold()
        return word in self.vocabulary.words or (word[-1:] == "s" and word[:-1] in self.vocabulary.words)

    def _number(self, text: str, numbers: frozenset[int] | None) -> bool:
        if numbers is None:
            return True
        if text in self.vocabulary.words or text == FOREVER:
            return True
        if "." in text:
            return False
        number = int(text.replace(",", "").replace("_", ""))
        return abs(number) <= SMALL or number in numbers
