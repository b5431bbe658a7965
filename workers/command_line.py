"""The command `journalscope`; in a checkout `manage.py` knows the same commands beside Django's own.

Exit codes are each command's own (docs/command-line.md); 2 is also a command or an option that there is not.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module, util
from pathlib import Path
from typing import NoReturn

from spark.terms.installation import COMMAND_NAME, WHEEL, version

USAGE_ERROR = 2


@dataclass(frozen=True)
class OwnCommandName:
    """A command of ours. `asks_site`: whether it needs the settings, the database or the packages of a site."""

    summary: str
    asks_site: bool = False


GROUPS = {
    "Files": {
        "inspect": OwnCommandName("what is wrong with a journal, why, and what to do"),
        "state": OwnCommandName("the service's state, at the end or at an offset"),
        "records": OwnCommandName("the records that match a filter"),
        "sql": OwnCommandName("a query over the tables of a report"),
        "compare": OwnCommandName("two inputs, or the replicas in one, record by record"),
        "repair": OwnCommandName("records that bring lost data back, and the steps"),
    },
    "Clusters": {
        "capture": OwnCommandName("records of a live topic into a folder"),
    },
    "Site": {
        "serve": OwnCommandName("the dashboard, its workers and Redis under one Ctrl-C", asks_site=True),
        "backup": OwnCommandName("database, raw bytes and results into a folder", asks_site=True),
        "restore": OwnCommandName("a backup into an empty installation", asks_site=True),
        "load-samples": OwnCommandName("the sample journals", asks_site=True),
        "manage": OwnCommandName("Django's own commands, such as createsuperuser", asks_site=True),
    },
    "Assistants": {
        "mcp": OwnCommandName("a server that answers assistants about journals (Model Context Protocol)"),
    },
    "Evidence": {
        "verify-evidence": OwnCommandName("whether an evidence bundle is unchanged"),
        "verify-audit": OwnCommandName("whether the audit log is unchanged", asks_site=True),
    },
    "Documentation": {
        "docs": OwnCommandName("the documentation as static pages"),
    },
    "Shell": {
        "completion": OwnCommandName("completion for bash, zsh or fish"),
        "java-home": OwnCommandName("a JAVA_HOME that Spark starts with"),
    },
}
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}
COMMAND_PACKAGE = "workers.management.commands"


def main(words: Sequence[str] | None = None) -> None:
    """One command. Ends the process with its exit code."""
    if "_ARGCOMPLETE" in os.environ:
        from workers.management.completion import answer

        answer(COMMAND_NAME, [(name, f"{COMMAND_PACKAGE}.{module_of(name)}") for name in COMMANDS])
    words = list(sys.argv[1:] if words is None else words)
    name = words[0].replace("_", "-") if words else "--help"
    if name in ("--help", "-h", "help"):
        print(help_text())  # noqa: T201
    elif name == "--version":
        print(f"{WHEEL} {version()}")  # noqa: T201
    elif name == "completion":
        print(completion(words[1:]))  # noqa: T201
    elif name == "java-home":
        print(java_home())  # noqa: T201
    elif name == "manage":
        site_command(words[1:])
    elif name in COMMANDS:
        run(name, words[1:])
    else:
        refuse(unknown(words[0]))


def run(name: str, arguments: Sequence[str]) -> None:
    """A command of ours; of Django's apps only what it asks is loaded, for they take a second."""
    if COMMANDS[name].asks_site:
        require_site(name)
        site_command([module_of(name), *arguments])
        return
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.limits")
    command = import_module(f"{COMMAND_PACKAGE}.{module_of(name)}").Command()
    command.run_from_argv([COMMAND_NAME, name, *arguments])


def module_of(name: str) -> str:
    return name.replace("-", "_")


def site_command(words: Sequence[str]) -> None:
    """Through Django: settings of the site, system checks, its database."""
    require_site("manage")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line([COMMAND_NAME, *words])
    except ImproperlyConfigured as problem:
        refuse(str(problem))


def require_site(name: str) -> None:
    """End with a sentence where the packages of a site are not installed."""
    if util.find_spec("celery") is None:
        refuse(f"`{COMMAND_NAME} {name}` needs more packages: pip install '{WHEEL}[web]'")


def help_text() -> str:
    """Our commands by group."""
    width = max(map(len, COMMANDS)) + 2
    lines = [
        f"usage: {COMMAND_NAME} COMMAND ...",
        "",
        "Kafka journals: what is wrong, why, and what to do about it.",
    ]
    for group, commands in GROUPS.items():
        lines += ["", group, *(f"  {name:<{width}}{command.summary}" for name, command in commands.items())]
    return "\n".join(
        [*lines, "", f"{COMMAND_NAME} COMMAND --help says more. {COMMAND_NAME} --version names the version."]
    )


def unknown(name: str) -> str:
    """What there is instead."""
    close = difflib.get_close_matches(name, COMMANDS, 1)
    hint = f" Did you mean {close[0]}?" if close else ""
    return f"There is no command {name!r}.{hint} {COMMAND_NAME} --help lists the commands."


def completion(arguments: Sequence[str]) -> str:
    """A script for a shell to read at its start. Ends the process where no shell is named."""
    from workers.management.completion import SHELLS, script

    if len(arguments) != 1 or arguments[0] not in SHELLS:
        refuse(f"Name your shell: {COMMAND_NAME} completion {'|'.join(SHELLS)}")
    return script(WHEEL, arguments[0])


def java_home() -> Path:
    """Java for spark-submit and for a cluster's machines. Ends the process where there is none."""
    from spark.runtime import java
    from spark.runtime.in_process import has_spark, needs_spark

    if not has_spark():
        refuse(str(needs_spark(f"`{COMMAND_NAME} java-home`")))
    try:
        return java.home()
    except java.NoJava as problem:
        refuse(str(problem))
    except OSError as problem:
        refuse(f"{problem.filename} cannot be written. Run this once as the owner of {sys.prefix}.")


def refuse(sentence: str) -> NoReturn:
    sys.stderr.write(f"{sentence}\n")
    sys.exit(USAGE_ERROR)


if __name__ == "__main__":
    main()
