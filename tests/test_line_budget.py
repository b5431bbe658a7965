"""The budget of each room in lines of code: it falls with the code and rises only with a line in the CHANGELOG.

That line reads "Lines of code: `spark/detectors` 11,570 for ...". `python tests/test_line_budget.py` lowers budgets
to what is there; without `line_budget.json` it writes the figures to start with.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUDGET = Path(__file__).with_name("line_budget.json")
RAISED = re.compile(r"Lines of code: `([\w/]+)` ([\d,]+) for \w")
SLACK_LINES, SLACK_SHARE = 20, 0.01
BETWEEN = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(text: str) -> int:
    """Lines of a module without its blank lines, comments, docstrings and imports."""
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            statements = node.body[:1] if ast.get_docstring(node, clean=False) is not None else []
        else:
            statements = [node] if isinstance(node, ast.Import | ast.ImportFrom) else []
        for statement in statements:
            left_out.update(range(statement.lineno, (statement.end_lineno or 0) + 1))
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    spans = (range(token.start[0], token.end[0] + 1) for token in tokens if token.type not in BETWEEN)
    return len({line for span in spans for line in span} - left_out)


def rooms() -> Counter[str]:
    """Lines of code by room: `webapp/reports`, or `webapp` for the modules in no folder of it."""
    lines: Counter[str] = Counter()
    for path in (path for top in ("spark", "webapp", "workers") for path in (ROOT / top).rglob("*.py")):
        lines["/".join(path.relative_to(ROOT).parent.parts[:2])] += code_lines(path.read_text())
    return lines


def test_each_room_stays_within_its_budget_and_the_budget_falls_with_the_code() -> None:
    stored, now = json.loads(BUDGET.read_text()), rooms()
    raised = RAISED.findall((ROOT / "CHANGELOG.md").read_text())
    newest = {room: int(figure.replace(",", "")) for room, figure in reversed(raised)}
    budget, allowed = stored["budget"], stored["start"] | newest
    assert budget.keys() == now.keys()
    assert {room: (now[room], most) for room, most in budget.items() if now[room] > most} == {}
    unexplained = {room: most for room, most in budget.items() if most > allowed.get(room, 0)}
    assert unexplained == {}, "say in the CHANGELOG what the lines are for"
    slack = {room: max(SLACK_LINES, int(lines * SLACK_SHARE)) for room, lines in now.items()}
    loose = {room: (now[room], most) for room, most in budget.items() if most > now[room] + slack[room]}
    assert loose == {}, "less code than that: run python tests/test_line_budget.py"


def test_blank_lines_comments_docstrings_and_imports_are_no_code() -> None:
    module = '"""Two\nlines."""\n\nfrom a import (\n    b,\n)\n\n# why\nTEXT = """\n\nx"""\n'
    function = 'def f(x):  # why\n    """Says."""\n    return (\n        x\n    )\n'
    assert (code_lines(module), code_lines(function), code_lines(module + function)) == (3, 4, 7)


if __name__ == "__main__":
    now = dict(sorted(rooms().items()))
    stored = json.loads(BUDGET.read_text()) if BUDGET.exists() else {"start": now, "budget": now}
    lower = {room: min(most, now[room]) for room, most in stored["budget"].items() if room in now}
    BUDGET.write_text(json.dumps(stored | {"budget": lower}, indent=1) + "\n")
