"""Releases of Apicurio Registry 2.x: by what rules each replays a journal, and what it writes when it starts.

    failed create, update, delete   every release writes a null record under the key of the record that failed
    2.1.3 to 2.5.8                  an UPDATE without content for each Protobuf version whose canonical hash is another
                                    than it computes, at every start; with the references since 2.4.3
    up to 2.5.8                     a Bootstrap record without value; cannot read a journal with Upgrader records
    2.5.9 on                        Upgrader records; once per journal a ContentV2 of each content whose hashes changed

Source: KafkaSqlSink.java, KafkaSqlProtobufCanonicalizerUpgrader.java, KafkaSqlUpgraderManager.java at these tags; real
starts of 2.5.8.Final and 2.6.13.Final.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from spark.dialects.apicurio_v2.families import Family

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
