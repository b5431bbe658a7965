"""File names as a browser or a script sends them: relative paths with `/`, nothing that leaves the folder.

And names of journals: of their files until they are inspected, of their topics and partitions from then on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from spark.terms.marked import UNNAMED
from spark.terms.topic_rules import kafkas_own
from spark.terms.wording import plural
from webapp.rejected import Rejected

MAX_NAME_LENGTH = 1000
TOPICS_NAMED = 2
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
DRIVE = re.compile(r"^[A-Za-z]:")
ADDRESS = re.compile(r"^[a-z][a-z0-9+.:-]*://|^file:", re.IGNORECASE)


def clean(name: str) -> str:
    """The name as it is stored. Raises Rejected."""
    if CONTROL.search(name):
        raise Rejected(f"The file name {name!r} contains a control character. Rename the file and try again.")
    if name.startswith(("/", "\\")) or DRIVE.match(name):
        raise Rejected(f"The file name {name} is an absolute path. Send the path relative to the folder.")
    if ADDRESS.match(name):
        raise Rejected(
            f"The file name {name} is an address. Nothing is fetched from there. Upload the file itself under its own name."
        )
    parts = [name_part for name_part in name.split("/") if name_part not in {"", "."}]
    if ".." in re.split(r"[/\\]", name):
        raise Rejected(
            f"The file name {name} leaves its folder with “..”. Send the path relative to the folder."
        )
    if not parts:
        raise Rejected("A file came without a name. Give it one and try again.")
    if len("/".join(parts)) > MAX_NAME_LENGTH:
        raise Rejected(
            f"The file name {name[:60]}… has more than {MAX_NAME_LENGTH} characters. Use a shorter path."
        )
    return "/".join(parts)


def journal_name(names: list[str]) -> str:
    """Name for a journal of these files: their folder, the only file, or the first and a count."""
    folders = {name.split("/")[0] for name in names if "/" in name}
    if len(folders) == 1 and all("/" in name for name in names):
        return folders.pop()[:200]
    first = names[0].rsplit("/", 1)[-1]
    extra = len(names) - 1
    return first[:200] if not extra else f"{first[:170]} and {extra:,} more"


def name_by_topics(journals: Sequence[Mapping[str, Any]]) -> str:
    """`kafkasql-journal-0`, `orders, 3 partitions`, `a-0 and b-0`, `a-0, b-0 and 2 more topics`; empty where no topic has a name.

    `journals`: as in report.json. Kafka's own topics come last: they are there to explain the others.
    """
    own_last = sorted(journals, key=lambda journal: kafkas_own(journal["topic"]) is not None)
    named = [_partitions_of(journal) for journal in own_last if journal["topic"] != UNNAMED]
    if len(named) <= TOPICS_NAMED:
        return " and ".join(named)
    more = len(named) - TOPICS_NAMED
    return f"{', '.join(named[:TOPICS_NAMED])} and {plural(more, 'more topic')}"


def _partitions_of(journal: Mapping[str, Any]) -> str:
    topic, partitions = journal["topic"], journal["partitions"]
    if len(partitions) > 1:
        return f"{topic}, {plural(len(partitions), 'partition')}"
    return (
        f"{topic}-{partitions[0]}"
        if partitions and partitions[0] is not None and partitions[0] >= 0
        else topic
    )
