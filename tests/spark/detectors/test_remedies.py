"""Remedies are on the pages: each call of a module names a variant of its page and gives the values that it takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from spark.detectors import _restoring, detectors
from spark.report.copies import INTACT
from spark.units.pages import page, shared_steps
from spark.units.remedies import PLACEHOLDER

DETECTORS = Path(__file__).resolve().parents[3] / "spark/detectors"
HELPERS = {
    "_missing_logs": "missing-segment",
    "_printed_offsets": "offset-order",
}  # that name no page in the call


class Call(NamedTuple):
    """A call of `remedy`: titles that it may name (none: it computes the title), names of its values."""

    place: str
    detector: str
    titles: list[str]
    values: set[str]


def calls() -> Iterator[Call]:
    """All calls in spark/detectors."""
    for path in sorted(DETECTORS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                yield from call_of(node, path)


def call_of(node: ast.Call, path: Path) -> Iterator[Call]:
    """`detector.remedy(title, **values)` or `remedy(id, title, **values)`."""
    place = f"{path.relative_to(DETECTORS)}:{node.lineno}"
    if ast.unparse(node.func) == "detector.remedy":
        id = path.stem.replace("_", "-")
        values = {name for keyword in node.keywords for name in names_of(keyword, path.parent / "_words.py")}
        yield Call(place, id, titles(node.args[0]) if node.args else [""], values)
    elif ast.unparse(node.func) == "remedy" and len(node.args) == 2 and ast.unparse(node.args[1])[0] in "'\"":
        constant = node.args[0]
        id = constant.value if isinstance(constant, ast.Constant) else HELPERS[path.stem]
        values = {name for keyword in node.keywords for name in names_of(keyword, path)}
        yield Call(place, str(id), titles(node.args[1]), values)


def names_of(keyword: ast.keyword, words: Path) -> list[str]:
    """The value that it gives, or those of `**words.values(...)`: the keys of what that function returns."""
    if keyword.arg:
        return [keyword.arg]
    assert isinstance(keyword.value, ast.Call)
    module, _, name = ast.unparse(keyword.value.func).rpartition(".")
    if module == "restoring":
        return list(getattr(_restoring, name)({"topic": "orders", "partition": 0}))
    function = ast.unparse(keyword.value.func).removeprefix("words.")
    returned = next(
        child.value
        for node in ast.walk(ast.parse(words.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name == function
        for child in ast.walk(node)
        if isinstance(child, ast.Return)
    )
    assert isinstance(returned, ast.Dict)
    return [str(ast.literal_eval(key)) for key in returned.keys if key]


def titles(node: ast.expr) -> list[str]:
    """The constants that it may be."""
    choices = [node.body, node.orelse] if isinstance(node, ast.IfExp) else [node]
    return [str(choice.value) for choice in choices if isinstance(choice, ast.Constant)]


CALLS = list(calls())


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.place)
def test_a_call_names_a_variant_and_gives_its_values(call: Call) -> None:
    remedies = page("detectors", call.detector).remedies
    for title in call.titles:
        assert remedies[title].names == call.values, title
    if not call.titles:
        assert set().union(*(remedy.names for remedy in remedies.values())) == call.values


@pytest.mark.parametrize("id", detectors())
def test_every_variant_of_a_page_is_used(id: str) -> None:
    of_page = [call for call in CALLS if call.detector == id]
    used = {title for call in of_page for title in call.titles}
    assert of_page, "the module takes no remedy from its page"
    assert set(page("detectors", id).remedies) == used or not all(call.titles for call in of_page)


@pytest.mark.parametrize("id", detectors())
def test_a_remedy_has_no_markup_but_code(id: str) -> None:
    for remedy in page("detectors", id).remedies.values():
        for step in remedy.steps:
            assert "](" not in step.text
            assert "**" not in step.text
            assert step.text.count("`") % 2 == 0


def test_every_shared_step_is_used_by_several_remedies() -> None:
    texts = [path.read_text() for path in (DETECTORS.parents[1] / "docs/detectors").glob("*.md")]
    texts += shared_steps().values()
    named = [INTACT]  # taken by the code, beside the replicas that are intact
    named += [found[2] for text in texts for found in PLACEHOLDER.finditer(text) if found[1] == "step"]
    assert {name: named.count(name) for name in shared_steps() if named.count(name) < 2} == {}
    assert set(named) <= set(shared_steps())


def test_a_shared_step_is_nowhere_written_again() -> None:
    """Whoever writes a sentence of docs/steps.md on a page names the step instead."""
    bodies = {
        path.stem: " ".join(path.read_text().split())
        for path in (DETECTORS.parents[1] / "docs/detectors").glob("*.md")
    }
    again = [
        (name, id) for name, text in shared_steps().items() for id, body in bodies.items() if text in body
    ]
    assert again == []
