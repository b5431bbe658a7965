"""What the versions do differently: the clean-up of contents that no version uses, at the end of every delete.

    before 2.1.0       none
    2.1.0 to 2.3.1     every content without versions goes
    2.4.0 to 2.5.8     nothing while any version exists, everything once none does (a subquery that was not correlated)
    2.5.9 and later    every content without versions goes

Told by the entries as they go by; where they do not tell, by the rules of 2.4.0 to 2.5.8, which lose nothing.
Source: CommonSqlStatements.java at these tags.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

Family = Literal["2.0", "2.1", "2.4", "2.5.9"]
AT_FIRST: Family = "2.4"
T = TypeVar("T")


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
