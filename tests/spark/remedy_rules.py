"""A report's remedies held against the table of what may be done to each journal's topic (`spark.terms.topic_rules`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from spark.terms.topic_rules import COMPACT, KEEP_ALL, rules_of

SETTINGS = re.compile(r"--entity-name (?P<topic>\S+) --add-config (?P<settings>[^`\s]+)")
POLICY = re.compile(r"cleanup\.policy=(?P<policy>[a-z]+)")
WRITES = re.compile(
    r"\b(?:[Pp]roduce|[Aa]ppend) (?:the |those |it |its |every |again|a |copies|that )|kafka-console-producer|kcat -P\b"
)
NEW_TOPIC = re.compile(r"to a new topic|new journal")
DELETES = re.compile(r"kafka-delete-records[^`]*`(?: for (?P<topic>[A-Za-z0-9._-]+?)\.?(?=\s|$))?")
STOPS_A_WORKER = re.compile(r"^\s*(?:\d+\. )?Stop the worker")


def violations(report: Mapping[str, Any]) -> list[str]:
    """Each step of a finding's remedy that its topic's dialect forbids."""
    dialects = {journal["topic"]: journal["dialect"] for journal in report["journals"]}
    return [
        f"{finding['detector']} on {dialects[finding['topic']]}: {problem}"
        for finding in report["findings"]
        if finding["topic"] in dialects
        for problem in forbidden(dialects[finding["topic"]], finding["topic"], finding["remedy"])
    ]


def forbidden(dialect: str, topic: str, remedy: str) -> list[str]:
    """The same of one remedy."""
    rules = rules_of(dialect)
    problems = []
    for command in SETTINGS.finditer(remedy):
        policy = POLICY.search(command["settings"])
        if policy is None or command["topic"] not in {topic, "TOPIC"}:
            continue
        if policy["policy"] == COMPACT and rules.is_keyless:
            problems.append(f"compacts a topic whose records need no keys: {command[0]}")
        if policy["policy"] != COMPACT and KEEP_ALL not in command["settings"]:
            problems.append(f"lets retention delete the journal: {command[0]}")
    for line in remedy.splitlines():
        if not rules.produce and WRITES.search(line) and not NEW_TOPIC.search(line):
            problems.append(f"writes to a topic that only Kafka writes: {line}")
        deleted = DELETES.search(line)
        if not rules.delete and deleted and deleted["topic"] in {None, topic}:
            problems.append(f"deletes records of a journal: {line}")
        if STOPS_A_WORKER.match(line):
            problems.append(f"stops a worker without a condition: {line}")
    return problems
