"""What commands, logs and mails print of names and data cannot be obeyed by a terminal."""

from __future__ import annotations

import io
import json
import logging
from typing import Any

import pytest
from django.core.management import get_commands, load_command_class

from webapp.logs import RedactingFilter, Text
from workers.management.base import HeadlessCommand
from workers.management.outputs import OwnCommand

HOSTILE = "a\x1b[2J\u202eb\x9bc"
SHOWN = "a\\x1b[2J\\u202eb\\x9bc"


class Telling(OwnCommand):
    """A command that says what it was given."""

    def handle(self, *_: Any, **options: Any) -> None:
        self.stdout.write(HOSTILE)
        self.stderr.write(HOSTILE)


def test_a_command_shows_what_would_be_obeyed_on_both_streams() -> None:
    out, problems = io.StringIO(), io.StringIO()
    Telling(out, problems).handle()
    assert (out.getvalue(), problems.getvalue()) == (f"{SHOWN}\n", f"{SHOWN}\n")


def test_streams_that_a_caller_gives_are_no_other() -> None:
    out = io.StringIO()
    Telling().execute(stdout=out, stderr=io.StringIO(), no_color=True, force_color=False, skip_checks=True)
    assert out.getvalue() == f"{SHOWN}\n"


@pytest.mark.parametrize("as_json", [False, True])
def test_the_results_of_commands_on_inputs_are_no_other(as_json: bool) -> None:
    out, problems = io.StringIO(), io.StringIO()
    command = HeadlessCommand(stderr=problems)
    command.show({"text": f"line\n{HOSTILE}", "name": HOSTILE}, out, as_json)
    command.show({"error": HOSTILE}, io.StringIO(), as_json)
    assert problems.getvalue() == f"{SHOWN}\n"
    if as_json:
        assert json.loads(out.getvalue()) == {"name": HOSTILE}
        assert out.getvalue().strip().isprintable()
    else:
        assert out.getvalue() == f"line\n{SHOWN}\n"


def test_every_command_that_reads_journals_has_this_door() -> None:
    own = [name for name, app in get_commands().items() if app == "workers" and name != "serve"]
    assert own
    assert [name for name in own if not isinstance(load_command_class("workers", name), OwnCommand)] == []


def test_a_line_of_the_log_cannot_be_forged_by_a_name() -> None:
    record = logging.LogRecord(
        "workers", 30, __file__, 1, "The file %s is gone.", (f"x\nERROR all is lost {HOSTILE}",), None
    )
    RedactingFilter().filter(record)
    assert Text("%(message)s").format(record) == f"The file x\\nERROR all is lost {SHOWN} is gone."
