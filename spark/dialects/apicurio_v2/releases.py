"""How releases of Apicurio Registry 2.x differ: in what a delete cleans up, and in what they write when they start.

A delete ends with a clean-up of contents without versions:

    before 2.1.0       none
    2.1.0 to 2.3.1     removes every content without versions
    2.4.0 to 2.5.8     nothing while any version exists, everything once none does (a subquery that was not correlated)
    2.5.9 and later    removes every content without versions

Entries show the family as they pass; until then the rules of 2.4.0 to 2.5.8 apply, which lose nothing. A start writes:

    failed create, update, delete   every release: a null record under the key of the record that failed
    2.1.3 to 2.5.8                  an UPDATE without content for each Protobuf version whose canonical hash differs from the
                                    computed one, at every start; with the references since 2.4.3
    up to 2.5.8                     a Bootstrap record without value; cannot read a journal with Upgrader records
    2.5.9 and later                 Upgrader records; once per journal a ContentV2 of each content whose hashes changed

Source: CommonSqlStatements.java, KafkaSqlSink.java, KafkaSqlProtobufCanonicalizerUpgrader.java,
KafkaSqlUpgraderManager.java at these tags; real starts of 2.5.8.Final and 2.6.13.Final.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

Family = Literal["2.0", "2.1", "2.4", "2.5.9"]
AT_FIRST: Family = "2.4"
T = TypeVar("T")
Number = tuple[int, int, int]
RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:\.Final)?", re.ASCII)
UPGRADES: Number = (2, 5, 9)  # the first that writes Upgrader records and ContentV2
EMPTY_UPDATES: tuple[Number, Number] = ((2, 1, 3), (2, 5, 8))
KEEPS_REFERENCES: Number = (2, 4, 3)  # in its UPDATEs without content
CLEANS_UP: Number = (2, 1, 0)
CLEANS_UP_ALL_OR_NOTHING: Number = (2, 4, 0)
NOT_3: Number = (3, 0, 0)


@dataclass(frozen=True)
class Release:
    """A release such as 2.6.13."""

    number: Number

    def __str__(self) -> str:
        return ".".join(map(str, self.number))

    @property
    def family(self) -> Family:
        if self.number < CLEANS_UP:
            return "2.0"
        if self.number < CLEANS_UP_ALL_OR_NOTHING:
            return "2.1"
        return "2.4" if self.number < UPGRADES else "2.5.9"

    @property
    def upgrades(self) -> bool:
        """Whether it writes Upgrader and ContentV2 records."""
        return self.number >= UPGRADES

    @property
    def empties_contents(self) -> bool:
        """Whether it writes an UPDATE without content at each start."""
        first, last = EMPTY_UPDATES
        return first <= self.number <= last

    @property
    def keeps_references(self) -> bool:
        """Whether its UPDATEs without content keep the references."""
        return self.number >= KEEPS_REFERENCES


def release(text: str) -> Release:
    """The release that a text names. Raises ValueError with a sentence for users."""
    match = RELEASE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a release of Apicurio Registry. Name one such as 2.6.13.")
    number = (int(match[1]), int(match[2]), int(match[3]))
    if not (2, 0, 0) <= number < NOT_3:
        raise ValueError(
            f"Apicurio Registry {text} does not read this journal: only 2.x does. Name a release such as 2.6.13."
        )
    return Release(number)


def told_by(family: Family, entry_type: str | None, action: object) -> Family:
    """The version family after an entry. 2.0 spells actions `Create`, 2.1.0 to 2.1.3 `CREATE`; later versions write a number."""
    if entry_type in ("ContentV2", "Upgrader"):
        return "2.5.9"
    if entry_type == "Bootstrap":  # no longer written from 2.5.9 on
        return AT_FIRST if family == "2.5.9" else family
    if isinstance(action, str) and family != "2.5.9":
        return "2.1" if action.isupper() else "2.0"
    return AT_FIRST if action is not None and family in ("2.0", "2.1") else family


def cleaned_up(family: Family, unused: Mapping[Any, T], has_versions: bool) -> list[T]:
    """Which of the unused contents a delete removes."""
    if not unused or family == "2.0" or (family == "2.4" and has_versions):
        return []
    return list(unused.values())
