"""The choice of partitions on each page of a report: all of them, or above some hundred a search by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from webapp.reports.results import Place

PLACES_SHOWN = 200


@dataclass(frozen=True)
class PlaceChoice:
    """The first partitions whose name contains what is sought, each with its address; `address` takes the search."""

    shown: list[tuple[Place, str]]
    fitting: int
    all: int
    sought: str
    address: str

    @property
    def has_search(self) -> bool:
        """Whether they are too many for one list."""
        return self.all > PLACES_SHOWN


def choice_of(
    places: Sequence[Place], sought: str, url_of: Callable[[Place], str], address: str
) -> PlaceChoice | None:
    """None where there is nothing to choose."""
    if len(places) < 2:
        return None
    fitting = [replica for replica in places if sought in replica.name] if sought else places
    shown = [(replica, url_of(replica)) for replica in fitting[:PLACES_SHOWN]]
    return PlaceChoice(shown, len(fitting), len(places), sought, address)
