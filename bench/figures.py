"""What was measured, and whether it holds."""

from __future__ import annotations

import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One measured figure: a ratio (unit `x`) or seconds (unit `s`), and the bound that it must keep if it has one."""

    what: str
    measured: float
    target: float | None = None
    unit: str = "x"
    at_least: bool = False
    detail: str = ""

    @property
    def holds(self) -> bool:
        if self.target is None:
            return True
        return self.measured >= self.target if self.at_least else self.measured <= self.target

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        sign = "≥" if self.at_least else "≤"
        verdict = "pass" if self.holds else "MISS"
        has_target = self.target is not None
        return (
            self.what,
            f"{sign} {self.target:g} {self.unit}" if has_target else "",
            f"{self.measured:.2f} {self.unit}",
            verdict if has_target else "",
            self.detail,
        )


def say(text: str) -> None:
    """Progress, on stderr, so that stdout holds the table."""
    print(text, file=sys.stderr, flush=True)


def table(figures: list[Figure]) -> str:
    rows = [("figure", "target", "measured", "", "from"), *(figure.cells for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
