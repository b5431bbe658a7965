"""How figures look: the two themes, the mark of each kind of record, the colours of severities and gaps.

Colours are Okabe and Ito's, which colour-blind people can tell apart; shapes say the same a second time.
"""

from __future__ import annotations

from typing import Any, Literal

Theme = Literal["light", "dark"]

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
INK = {"light": "#1f2937", "dark": "#e5e7eb"}
MUTED = {"light": "#5b6676", "dark": "#9aa4b2"}
GRID = {"light": "#eceff3", "dark": "#383838"}
BARS = {"light": "#b9c2cf", "dark": "#5f6875"}
PAPER = {"light": "#ffffff", "dark": "#262626"}  # behind flags; the figure itself lets the card show through
BRIGHT = 130  # of 255: where dark ink begins to read better than white
CLEAR = "rgba(0,0,0,0)"

SEVERITY_COLOURS = {
    "light": {
        "critical": "#b83c00",
        "high": "#b45f00",
        "medium": "#7a6200",
        "low": "#5b6676",
        "info": "#0b66a8",
    },
    "dark": {
        "critical": "#ff8a4c",
        "high": "#ffb454",
        "medium": "#e6cf5c",
        "low": "#9aa4b2",
        "info": "#6fbcf0",
    },
}

# kind of a lifeline -> name in the legend, symbol, size in pixels, colour per theme
MARKS: dict[str, dict[str, Any]] = {
    "create": {"name": "create", "symbol": "circle", "size": 7, "light": "#0072b2", "dark": "#3d9fdd"},
    "update": {"name": "update", "symbol": "circle", "size": 5, "light": "#56b4e9", "dark": "#8fd0f5"},
    "tombstone": {"name": "tombstone", "symbol": "x-thin", "size": 7, "light": "#1f2937", "dark": "#f3f4f6"},
    "revive": {
        "name": "revived",
        "symbol": "circle-open-dot",
        "size": 9,
        "light": "#007a5a",
        "dark": "#2cc79b",
    },
    "aborted": {
        "name": "aborted",
        "symbol": "circle-x-open",
        "size": 8,
        "light": "#6b7280",
        "dark": "#9aa4b2",
    },
    "control": {"name": "control", "symbol": "line-ns", "size": 9, "light": "#6b7280", "dark": "#9aa4b2"},
    "restart": {
        "name": "restart",
        "symbol": "diamond-open",
        "size": 8,
        "light": "#6b7280",
        "dark": "#9aa4b2",
    },
}
OUTLINED = {"x-thin", "line-ns"}  # symbols that are drawn by their outline only

# cause of a gap -> words, what they mean, hatching, colour per theme
GAP_LOOKS: dict[str, dict[str, str]] = {
    "compaction": {
        "name": "compacted away",
        "text": "Kafka's log cleaner removed these records: later ones have the same keys.",
        "shape": "/",
        "light": "#aab4c3",
        "dark": "#56627a",
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
        "name": "deleted by retention",
        "text": "The log starts after them: retention or DeleteRecords removed them.",
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
        "name": "control records",
        "text": "Control records, which end transactions, take offsets; this file format leaves them out.",
        "shape": ".",
        "light": "#8a7cad",
        "dark": "#a89bd0",
    },
    "aborted": {
        "name": "aborted or control",
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
    """What every figure's layout begins with."""
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
        "modebar": {"bgcolor": CLEAR, "color": MUTED[theme], "activecolor": INK[theme]},
        "showlegend": False,
        "legend": {"orientation": "h", "x": 0, "y": -0.12, "yanchor": "top", "itemsizing": "constant"},
    }


def axis(theme: Theme, **more: Any) -> dict[str, Any]:
    """An axis with our grid."""
    return {
        "gridcolor": GRID[theme],
        "linecolor": GRID[theme],
        "zeroline": False,
        "automargin": False,
        **more,
    }
