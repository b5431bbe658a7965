"""Completion of our commands in a shell: argcomplete asks the parsers of the commands themselves."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from importlib import import_module

import argcomplete
from argcomplete.shell_integration import shellcode

SHELLS = ("bash", "zsh", "fish")
ASKED = "_ARGCOMPLETE"  # set by the shell's function while it asks


def script(program: str, shell: str) -> str:
    """What a shell evaluates at its start."""
    return str(shellcode([program], shell=shell))


def answer(program: str, modules: Iterable[tuple[str, str]]) -> None:
    """Print what may stand at the cursor, and end the process. `modules`: name of a command, its module or ""."""
    typed = os.environ.get("COMP_LINE", "").split()[1:2]
    parser = ArgumentParser(program)
    commands = parser.add_subparsers()
    for name, module in modules:
        of_command = commands.add_parser(name)
        if module and name in typed:
            import_module(module).Command().add_arguments(of_command)
    argcomplete.autocomplete(parser)
    sys.exit(1)
