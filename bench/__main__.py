"""`python -m bench [--only PART ...] [--quick]`: prints one line per figure; exit code 1 when one misses."""

from __future__ import annotations

import argparse
import os
import sys
import time

from bench.figures import Figure, say, table
from bench.inspecting import WarmSession
from bench.parts import FULL, PARTS, QUICK

IDLE_LOAD = 0.5


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="a fifth of the sizes; ratios are then rougher")
    chosen = parser.parse_args()
    load = os.getloadavg()[0]
    warm = WarmSession()
    figures: list[Figure] = []
    try:
        for name in chosen.only or PARTS:
            began = time.monotonic()
            say(f"{name}: {PARTS[name].__doc__}")
            for figure in PARTS[name](warm, QUICK if chosen.quick else FULL):
                figures.append(figure)
                say("  " + "  ".join(figure.cells))
            say(f"  {name} took {time.monotonic() - began:.0f} s")
    finally:
        warm.close()
    print(table(figures))
    if load > IDLE_LOAD:
        print(f"The machine was busy before the bench began (load {load:.1f}): run it again when it is idle.")
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
