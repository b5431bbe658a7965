"""A filter as an address has it: `filter=`, and the parameters of addresses from before the language, which mean the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from webapp.reports.filters.moments import moment_text
from webapp.reports.filters.parser import parse_filter
from webapp.reports.filters.tree import (
    BoundMatch,
    FieldTest,
    FilterTree,
    Match,
    RangeMatch,
    TextMatch,
    both,
    containing,
    literal,
    written,
)
from webapp.reports.paging import whole_number
from webapp.time_element import zone_named

FORMER = ("first", "last", "since", "until", "type", "kind", "key", "value")
FORMER_OF_KEYS = ("q", "key", "type", "only")
CONTAINED = {"key": "key", "q": "key", "value": "value"}  # parameter -> field that contains it
LIVE: dict[str, Match] = {
    "deleted": TextMatch(("0",)),
    "live": BoundMatch(">", TextMatch(("0",))),
}
FILTERS = ("filter", "zone", *FORMER)


@dataclass(frozen=True)
class RecordFilter:
    """A filter that was read. `zone`: IANA name of the zone of its times; `decodes`: schemas may be asked what values contain."""

    tree: FilterTree | None = None
    zone: str = ""
    decodes: bool = True

    @property
    def text(self) -> str:
        return written(self.tree)

    @property
    def zone_info(self) -> ZoneInfo | None:
        return zone_named(self.zone)

    @property
    def query(self) -> dict[str, str]:
        """As parameters of an address."""
        if self.tree is None:
            return {}
        return {"filter": self.text} | ({"zone": self.zone} if self.zone_info else {})


def read_filter(
    params: Mapping[str, str], hidden: frozenset[str] = frozenset(), *, decodes: bool = True
) -> RecordFilter:
    """Raises FilterError, with the place in `filter`."""
    tree = parse_filter(params.get("filter", ""), hidden)
    former = parse_filter(written(tree_of_former(params)), hidden)
    return RecordFilter(both(former, tree), params.get("zone", "")[:60], decodes)


def tree_of_former(params: Mapping[str, str]) -> FilterTree | None:
    """What the parameters of earlier addresses say; what cannot be read is left out."""
    offsets = [_number(whole_number(params.get(name))) for name in ("first", "last")]
    times = [_time(read_time(params.get(name))) for name in ("since", "until")]
    return both(
        _test("offset", RangeMatch(*offsets)) if any(offsets) else None,
        _test("time", RangeMatch(*times)) if any(times) else None,
        *(_test(name, TextMatch((params[name],))) for name in ("kind",) if params.get(name)),
        *(_test(name, literal(params[name])) for name in ("type",) if params.get(name)),
        *(
            _test(name, containing(params[former]))
            for former, name in CONTAINED.items()
            if params.get(former)
        ),
        *(_test("live", match) for word, match in LIVE.items() if params.get("only") == word),
    )


def _test(name: str, match: Match) -> FilterTree:
    return FieldTest(name, (), (match,))


def _number(number: int | None) -> TextMatch | None:
    return None if number is None else TextMatch((str(number),))


def _time(timestamp_ms: int | None) -> TextMatch | None:
    return None if timestamp_ms is None else TextMatch((moment_text(timestamp_ms),))


def read_time(text: str | None) -> int | None:
    """Milliseconds of a time as a form sent it or a person writes it (UTC); a number is taken as it is."""
    number = whole_number(text)
    if number is not None or not text:
        return number
    try:
        moment = datetime.fromisoformat(text.strip().replace(" UTC", ""))
    except ValueError:
        return None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
