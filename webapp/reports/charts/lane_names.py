"""Names of lanes inside a figure: whole, or cut in their middle so that none looks like another."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, zip_longest
from typing import Any

from webapp.reports.charts.look import INK, PAPER, Theme, plain
from webapp.reports.charts.rows import FigureFrame

MIN_LETTERS = 3  # letters at either end
MIN_DIFFERENT = 3  # letters
NAMES_ABOVE = 44  # characters of a name above its marks, on a phone
LIFT_PIXELS = 3  # of its 16 above the lane: below them a ring around a record begins


def short_names(names: Collection[str], characters: int) -> dict[str, str]:
    """By name: at most so many characters of it. Names that would look alike are cut further to the left or right; they get a
    number if they differ in what is cut only."""
    middle = (characters - 1) // 2
    short = {name: _cut(name, characters, middle) for name in names}
    for group in _alike(short):
        taken = {text for name, text in short.items() if name not in group}
        cuts = list(_apart(group, characters, middle, taken))
        clear = [texts for texts in cuts if _differ(list(texts.values()))]
        if clear:
            short |= clear[0]
        elif len({short[name] for name in group}) < len(group):
            short |= cuts[0] if cuts else _numbered(group, characters)
    return short


def _alike(short: Mapping[str, str]) -> list[list[str]]:
    """Cut names whose texts differ in a letter or two."""
    groups: list[list[str]] = []
    for name, text in short.items():
        near = [group for group in groups if not all(_differ([text, short[other]]) for other in group)]
        if text != name and near:
            near[0].append(name)
        elif text != name:
            groups.append([name])
    return [group for group in groups if len(group) > 1]


def _differ(texts: Sequence[str]) -> bool:
    """Whether each differs from each other one in so many letters that nobody takes one for the other."""
    return all(
        sum(a != b for a, b in zip_longest(first, second)) >= MIN_DIFFERENT
        for first, second in combinations(texts, 2)
    )


def _apart(
    names: Collection[str], characters: int, middle: int, taken: Collection[str]
) -> Iterator[dict[str, str]]:
    """Cuts near the middle first."""
    for end in sorted(range(MIN_LETTERS, characters - MIN_LETTERS), key=lambda end: abs(end - middle)):
        texts = {name: _cut(name, characters, end) for name in names}
        if len(set(texts.values()) - set(taken)) == len(names):
            yield texts


def _numbered(names: Collection[str], characters: int) -> dict[str, str]:
    room = characters - len(f" ({len(names)})")
    return {
        name: f"{_cut(name, room, (room - 1) // 2)} ({number})" for number, name in enumerate(names, start=1)
    }


def _cut(name: str, characters: int, end: int) -> str:
    if len(name) <= characters:
        return name
    return f"{name[: characters - 1 - end]}…{name[-end:]}"


def lane_names(frame: FigureFrame, theme: Theme) -> list[dict[str, Any]]:
    """Plotly's annotations: the name of each lane above its marks."""
    look = {"xref": "paper", "x": 0, "xanchor": "left", "yanchor": "top", "showarrow": False}
    look |= {"bgcolor": PAPER[theme], "borderpad": 0, "yshift": LIFT_PIXELS}
    font = {"size": 12, "color": INK[theme]}
    ys = frame.y_by_lane
    return [
        look | {"y": y + 0.5, "text": plain(name), "font": font}
        for name, y in zip(short_names(ys, NAMES_ABOVE).values(), ys.values(), strict=True)
    ]
