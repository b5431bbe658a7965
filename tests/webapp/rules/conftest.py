"""Rules of the cast's project, and a finished inspection to try them on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from webapp.journals.models import Inspection, Journal
from webapp.rules import changes
from webapp.rules.models import Rule

TEXT = """\
name: {name}
title: {title}
severity: high
over: records
when: {{column: key, is: "{key}"}}
text: "The value is {{value}}"
remedy: Ask the team.
"""


def rule_text(name: str = "no-a", title: str = "Records with the key a", key: str = "a") -> str:
    return TEXT.format(name=name, title=title, key=key)


@pytest.fixture
def make_rule(project: Any, reviewer: Any) -> Callable[..., Rule]:
    """`make_rule(name="x", is_active=True)`: saved by the reviewer."""

    def make(of: Any = project, is_active: bool = False, **members: str) -> Rule:
        rule = changes.create(of, rule_text(**members), reviewer)
        if is_active:
            changes.set_active(rule, True, reviewer)
        return rule

    return make


@pytest.fixture
def inspection(project: Any, owner: Any) -> Inspection:
    """A finished one with thirty records, all of them with the key a but the last."""
    journal = Journal.objects.create(project=project, name="orders", created_by=owner)
    made = Inspection.objects.create(journal=journal, state=Inspection.State.DONE)
    rows = [{"key": b"b" if n == 29 else b"a", "value": b"<b>%d</b>" % n} for n in range(30)]
    write_results(made.results, records=records_table(*rows))
    return made
