"""Names of lanes inside a figure: whole, or cut in their middle so that none looks like another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any

from webapp.reports.charts.look import INK, PAPER, Theme, plain
from webapp.reports.charts.rows import FigureFrame

MIN_LETTERS = 3  # letters at either end
NAMES_ABOVE = 44  # characters of a name above its marks, on a phone


def short_names(names: Collection[str], characters: int) -> dict[str, str]:
    """By name: at most so many characters of it. Names that would look alike are cut further to the left or right; they get a
    number if they differ in what is cut only."""
    middle = (characters - 1) // 2
    short = {name: _cut(name, characters, middle) for name in names}
    alike: dict[str, list[str]] = defaultdict(list)
    for name, text in short.items():
        alike[text].append(name)
    for group in alike.values():
        if len(group) == 1:
            continue
        taken = {text for name, text in short.items() if name not in group}
        cuts = next(_apart(group, characters, middle, taken), dict[str, str]())
        short |= cuts or _numbered(group, characters)
    return short


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
    look |= {"bgcolor": PAPER[theme], "borderpad": 0}
    font = {"size": 12, "color": INK[theme]}
    ys = frame.y_by_lane
    return [
        look | {"y": y + 0.5, "text": plain(name), "font": font}
        for name, y in zip(short_names(ys, NAMES_ABOVE).values(), ys.values(), strict=True)
    ]
