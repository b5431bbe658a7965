"""Checks the chain over the audit log: `manage.py verify_audit [--head HASH] [--json]`.

Exit code: 0 every event is as it was written, 1 one was changed, deleted or put in, 2 the chain could not be read.
"""

from __future__ import annotations

import json
import re
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError

from webapp.audit import chain
from workers.management.outputs import OwnCommand

BROKEN, UNREADABLE = 1, 2
HASH = re.compile(r"[0-9a-f]{64}")


class Command(OwnCommand):
    help = "Check that no event of the audit log was changed, deleted or inserted later."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--head", default="", metavar="HASH", help="head from an earlier check")
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, *_: Any, **options: Any) -> None:
        if options["head"] and not HASH.fullmatch(options["head"]):
            raise CommandError(
                "--head takes 64 hexadecimal digits, as verify_audit prints them.", returncode=UNREADABLE
            )
        try:
            checked = chain.check(options["head"])
        except DatabaseError as problem:
            raise CommandError(
                f"The audit log cannot be read: {problem}.", returncode=UNREADABLE
            ) from problem
        self.stdout.write(json.dumps(asdict(checked)) if options["json"] else in_words(checked))
        if checked.problem or not checked.has_head:
            sys.exit(BROKEN)


def in_words(checked: chain.Checked) -> str:
    lines = [f"{checked.count:,} events are in the chain, {checked.unsealed:,} wait for their seal."]
    if checked.problem:
        lines.append(checked.problem)
    elif not checked.has_head:
        lines.append(
            "The head that you named is not in the chain: events after it were removed, or all seals were made again."
        )
    else:
        lines.append("All of them are unchanged.")
    return "\n".join([*lines, f"Head: {checked.head}"])
