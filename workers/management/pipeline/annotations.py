"""GitHub's workflow commands: an annotation for each finding that counts (docs.github.com, "Workflow commands")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers.management.pipeline.counted import CountedFindings

COMMANDS = {"critical": "error", "high": "error", "medium": "warning", "low": "notice", "info": "notice"}


def written(report: Mapping[str, Any], counted: CountedFindings) -> str:
    annotated = [
        finding
        for finding in report["findings"]
        if counted.counts(finding) and finding["consequence_of"] is None
    ]
    lines = [
        f"::{COMMANDS[finding['severity']]} title={argument(finding['detector'])}::{data(finding['title'])}"
        for finding in annotated
    ]
    return "\n".join([*lines, f"::notice title=Journalscope::{data(report['verdict']['sentence'])}"])


def data(words: str) -> str:
    """A line feed would end the command."""
    return words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def argument(words: str) -> str:
    return data(words).replace(":", "%3A").replace(",", "%2C")
