"""Commands in README and docs/ are taken by the parsers of the programs they call: no option that is not there.

A synopsis (`PATH... [--at OFFSET]`) is tried with all its optional parts. `make` targets are tried by a dry run.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from celery.bin.celery import celery
from django.core.management import CommandError, get_commands, load_command_class
from gunicorn.config import Config
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parent.parent
# Pages for contributors are carried out: tests/test_contributing.py.
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted(ROOT.glob("docs/**/*.md")) if page.parent.name != "contributing"),
]
CALL = re.compile(r"(?:\S*python\S* )?(?:manage\.py|make) .+|\S*python\S* -m .+")
BETWEEN = re.compile(r"&&|\|\||[|;]")
VALUES = {"OFFSET": "7", "RELEASE": "2.5.8", "ID": "14"}  # of placeholders that are no text


def code(tokens: list[Token]) -> Iterator[tuple[str, bool]]:
    """Lines of code, and whether each is a whole command: a mention in a sentence may leave out what it is about."""
    for token in tokens:
        if token.type in {"fence", "code_block"} and not token.info.startswith("python"):
            yield from ((line, True) for line in token.content.replace("\\\n", " ").splitlines())
        elif token.type == "code_inline":
            yield token.content, False
        yield from code(token.children or [])


def commands(page: Path) -> Iterator[tuple[str, bool]]:
    """The calls in a page's code, without what stands before them in the shell."""
    for line, is_whole in code(MarkdownIt("commonmark").enable("table").parse(page.read_text())):
        for part in BETWEEN.split(line.partition(" #")[0]):
            bare = re.sub(r"^(?:[A-Z_]+=\S+ +)*", "", part.strip())
            if CALL.fullmatch(bare):
                yield bare, is_whole


def arguments(command: str) -> list[str]:
    """The words of a synopsis, its optional parts taken."""
    words = shlex.split(re.sub(r"\.\.\.|[\[\]]", "", command), posix=True)
    return [VALUES.get(word, word) for word in words]


COMMANDS = sorted(
    {(command, is_whole): page for page in PAGES for command, is_whole in commands(page)}.items(), key=str
)


@pytest.mark.parametrize(
    ("command", "is_whole"),
    [pytest.param(*command, id=f"{page.relative_to(ROOT)}: {command[0][:70]}") for command, page in COMMANDS],
)
def test_the_program_takes_the_command(command: str, is_whole: bool) -> None:
    program, *rest = arguments(re.sub(r"^\S*python\S* (-m )?", "", command))
    if program == "manage.py":
        management(rest[0], rest[1:], is_whole)
    elif program == "make":
        done = subprocess.run(["make", "-n", *rest], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    else:
        module(program, rest)


def management(name: str, options: list[str], is_whole: bool) -> None:
    """A command of Django's or ours."""
    parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
    try:
        parser.parse_args(options)
    except CommandError as error:
        if is_whole or "required" not in str(error):
            raise


def module(name: str, options: list[str]) -> None:
    """`python -m`: celery and gunicorn by their parsers, others by their being there."""
    if name == "celery":
        _, (command, *rest), _ = celery.make_parser(click.Context(celery)).parse_args(options)
        subcommand = celery.commands[command]
        subcommand.make_parser(click.Context(subcommand)).parse_args(rest)
    elif name == "gunicorn":
        Config().parser().parse_args(options)
    else:
        assert importlib.util.find_spec(name) is not None


def test_there_are_commands_of_each_kind() -> None:
    assert {command.split()[0] for (command, _), _ in COMMANDS} >= {"manage.py", "make", "python"}
    assert len(COMMANDS) >= 40
