"""The id of a content that no Content record names any more.

A create draws a contentId, writes the content, draws a globalId and writes the version. Draws carry no number: how many
were drawn before tells it. So the draw in front of a version's globalId, with no other draw beside the two, is that of its
content. This counts only where it agrees with every content whose id a record names.
"""

from __future__ import annotations

from collections import deque

from spark.repair.journal import PartitionJournal

CREATION = """
    entry_type IN ('ContentId', 'GlobalId') OR (entry_type = 'Artifact' AND entry_action IN ('create', 'update'))
"""
CONTENTS = "entry_type IN ('Content', 'ContentV2')"
CONTENT_DRAW, GLOBAL_DRAW = "ContentId", "GlobalId"


def named_content_ids(journal: PartitionJournal) -> dict[str, object]:
    """By hash the ids that Content records and null records under their keys name."""
    members = [entry.members for entry in journal.entries(CONTENTS)]
    named = [(content.get("contentHash"), content.get("contentId")) for content in members]
    return {str(hash): number for hash, number in named if hash and number is not None}


def drawn_content_ids(journal: PartitionJournal) -> dict[str, int]:
    """By hash the ids that the draws tell; none where a sequence was set, or a draw contradicts a record."""
    entries = list(journal.entries(CREATION))
    tenants = {str(entry.members.get("tenantId")) for entry in entries}
    sets = [entry for entry in entries if entry.type == CONTENT_DRAW and entry.action != "create"]
    if len(tenants) > 1 or sets:
        return {}
    drawn: dict[str, int] = {}
    used: set[str] = set()
    latest, content_draws = deque([GLOBAL_DRAW], maxlen=3), 0
    for entry in entries:
        if entry.type != "Artifact":
            latest.append(entry.type)
            content_draws += entry.type == CONTENT_DRAW
            continue
        content_hash = str(entry.members.get("contentHash"))
        if content_hash not in used and list(latest) == [GLOBAL_DRAW, CONTENT_DRAW, GLOBAL_DRAW]:
            drawn[content_hash] = content_draws
        used.add(content_hash)
    named = named_content_ids(journal)
    both = drawn.keys() & named.keys()
    is_proven = bool(both) and all(drawn[hash] == named[hash] for hash in both)
    taken = {number for number in named.values() if isinstance(number, int | float)}
    return {hash: number for hash, number in drawn.items() if is_proven and number not in taken}
