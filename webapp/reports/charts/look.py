"""How figures look: the two themes, the mark of each kind of record, the colours of severities and gaps.

Two kinds stay apart for colour-blind people too, and their shapes say the same a second time.
"""

from __future__ import annotations

from typing import Any, Literal

Theme = Literal["light", "dark"]
Trace = dict[
    str, Any
]  # as `go.Figure` takes it, which checks it; an object of `graph_objects` would be checked twice

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
INK = {"light": "#1f2937", "dark": "#e5e7eb"}
MUTED = {"light": "#5b6676", "dark": "#9aa4b2"}
GRID = {"light": "#eceff3", "dark": "#383838"}
PAPER = {"light": "#ffffff", "dark": "#262626"}  # behind flags; the figure itself lets the card show through
BRIGHT = 130  # of 255: where dark ink begins to read better than white
CHARACTER_PIXELS = 6.4  # about the width of a letter in a figure
CLEAR = "rgba(0,0,0,0)"

SEVERITY_COLOURS = {
    "light": {
        "critical": "#b03a00",
        "high": "#8f5400",
        "medium": "#6e5a00",
        "low": "#55606c",
        "info": "#00629f",
    },
    "dark": {
        "critical": "#ff9166",
        "high": "#f2b04c",
        "medium": "#e2cd4d",
        "low": "#b3bdc9",
        "info": "#7cc4f2",
    },
}
SELECTED = {"light": "#fff3c4", "dark": "#4a3f14"}  # behind the lane of the selected record
ABSENT = {"light": "#5f6b78", "dark": "#8d99a8"}


def _mark(name: str, symbol: str, size: int, light: str, dark: str) -> dict[str, Any]:
    return {"name": name, "symbol": symbol, "size": size, "light": light, "dark": dark}


# What the service does with a record -> word, Plotly symbol, size in pixels, colours. Bars stack in this order.
MARKS: dict[str, dict[str, Any]] = {
    "create": _mark("create", "circle", 8, "#0b5fae", "#4c9df0"),
    "update": _mark("update", "diamond", 9, "#3d94d6", "#9fd3ff"),
    "delete": _mark("delete", "triangle-down", 9, "#8a1f62", "#ff8ac0"),
    "rejected": _mark("rejected by the service", "square-x-open", 9, "#b85c00", "#f5a742"),
    "tombstone": _mark("tombstone", "x-thin", 8, "#111827", "#f8fafc"),
    "control": _mark("control", "line-ns", 10, "#848f9c", "#8a9099"),
    "aborted": _mark("aborted", "circle-x-open", 8, "#5f6b78", "#8d99a8"),
    "restart": _mark("start mark", "line-ns", 14, "#475569", "#b6c2d2"),
}
# The same records in a corrupt batch, or in a transaction without COMMIT and ABORT: hollow, with a point in the middle (Plotly has no dashed outline).
OPEN_SYMBOLS = {
    "circle": "circle-open-dot",
    "diamond": "diamond-open-dot",
    "triangle-down": "triangle-down-open-dot",
    "square-x-open": "square-open-dot",
    "x-thin": "x-open-dot",
}
OPEN_NAMES = {
    "corrupt": "in a corrupt batch",
    "open": "in an open transaction",
    "unknown outcome": "transaction with unknown outcome",
    "aborted without marker": "in an aborted transaction without its marker",
}
OUTLINED = {"x-thin": 2.2, "line-ns": 2.0, "square-x-open": 1.6}  # drawn by their lines: how wide those are

# cause of a gap -> words, what they mean, hatching, colour per theme
GAP_LOOKS: dict[str, dict[str, str]] = {
    "compaction": {
        "name": "compacted away",
        "text": "Kafka's log cleaner removed these records: later ones have the same keys.",
        "shape": "/",
        "light": "#5f6b78",
        "dark": "#8d99a8",
    },
    "likely compaction": {
        "name": "likely compacted",
        "text": "Every key of an earlier record occurs once, as after a compaction. Nothing in the input proves that the log cleaner removed the others.",
        "shape": "/",
        "light": "#8f9aa5",
        "dark": "#b3bcc6",
    },
    "damage": {
        "name": "unreadable",
        "text": "The bytes of these records are unreadable.",
        "shape": "x",
        "light": "#d55e00",
        "dark": "#ff8a4c",
    },
    "unexplained": {
        "name": "unexplained",
        "text": "These files do not show why these offsets are missing.",
        "shape": "\\",
        "light": "#e69f00",
        "dark": "#ffb454",
    },
    "unknown": {
        "name": "cause unknown",
        "text": "The cause is not in this dump: compaction, transactions, a filter or loss. The topic's settings or the log segments show it.",
        "shape": "\\",
        "light": "#c9b458",
        "dark": "#b8a24a",
    },
    "retention": {
        "name": "removed or not copied",
        "text": "The log starts after them: retention or DeleteRecords removed them, or the copy of the log is incomplete.",
        "shape": "-",
        "light": "#7c93ad",
        "dark": "#7c93ad",
    },
    "capture limit": {
        "name": "not captured",
        "text": "One file of the capture ends before them and the next begins after them.",
        "shape": "+",
        "light": "#5f9ea0",
        "dark": "#6fb3b5",
    },
    "control": {
        "name": "possibly control records",
        "text": "Control records, which end transactions, take offsets. This file format leaves them out, so it does not show that they were any.",
        "shape": ".",
        "light": "#8a7cad",
        "dark": "#a89bd0",
    },
    "aborted": {
        "name": "possibly aborted or control records",
        "text": "Aborted and control records take offsets. read_committed consumers get neither.",
        "shape": "|",
        "light": "#b07aa1",
        "dark": "#cf9bc2",
    },
}


def gap_look(cause: str) -> dict[str, str]:
    """Colour, hatching and words of a gap; a cause without a look of its own is unexplained."""
    return GAP_LOOKS.get(cause, GAP_LOOKS["unexplained"])


def ink_on(colour: str) -> str:
    """The ink that reads on a colour (`#rrggbb`), whatever the theme: by the colour's brightness as the eye weighs it."""
    red, green, blue = (int(colour[position : position + 2], 16) for position in (1, 3, 5))
    return INK["light"] if 0.299 * red + 0.587 * green + 0.114 * blue > BRIGHT else "#ffffff"


def base_layout(theme: Theme, height: int) -> dict[str, Any]:
    return {
        "height": height,
        "font": {"family": FONT, "size": 12, "color": INK[theme]},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "hoverlabel": {
            "bgcolor": PAPER[theme],
            "bordercolor": MUTED[theme],
            "font": {"family": FONT, "color": INK[theme]},
            "align": "left",
        },
        "margin": {"l": 120, "r": 16, "t": 26, "b": 44, "pad": 0},
        "showlegend": False,
        "legend": {"orientation": "h", "x": 0, "y": -0.12, "yanchor": "top", "itemsizing": "constant"},
    }


def axis(theme: Theme, **members: Any) -> dict[str, Any]:
    return {
        "gridcolor": GRID[theme],
        "linecolor": GRID[theme],
        "zeroline": False,
        "automargin": False,
        **members,
    }


def plain(text: str) -> str:
    """Text that Plotly must not read as its small HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
