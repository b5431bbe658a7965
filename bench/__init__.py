"""How fast an inspection is, as ratios to other tools on the same machine in the same run. See docs/bench.md."""
