"""The offsets that a filter leaves, as far as tests that all must hold say it: beside them nothing need be read."""

from __future__ import annotations

from webapp.reports.filters.tree import (
    BothTest,
    BoundMatch,
    FieldTest,
    FilterTree,
    Match,
    RangeMatch,
    TextMatch,
)


def offsets_within(tree: FilterTree | None, bounds: tuple[int, int]) -> tuple[int, int]:
    """The offsets that a filter leaves, as far as tests that all must hold say it."""
    low, high = bounds
    for test in tree.parts if isinstance(tree, BothTest) else (tree,):
        if isinstance(test, FieldTest) and test.name == "offset" and len(test.matches) == 1:
            first, last = _span(test.matches[0])
            low, high = (
                max(low, first if first is not None else low),
                min(high, last if last is not None else high),
            )
    return low, high


def _span(match: Match) -> tuple[int | None, int | None]:
    if isinstance(match, TextMatch):
        return _whole(match), _whole(match)
    if isinstance(match, RangeMatch):
        return _whole(match.low), _whole(match.high)
    if isinstance(match, BoundMatch):
        bound = _whole(match.bound)
        return (bound, None) if match.operator in (">", ">=") else (None, bound)
    return None, None


def _whole(text: TextMatch | None) -> int | None:
    return int(text.number) if text is not None and text.number is not None else None
