"""Words that dialects use for entries and entities: if names are hidden, a share shows only these in such columns.

Any other word in a journal is a name. The pages of dialects declare the words (`words`): types of entries and entities, actions, the
services of one journal. A test holds them against the dialects (tests/spark/redaction/test_house_words.py).
"""

from __future__ import annotations

from functools import cache

from spark.terms.rejections import REJECTIONS
from spark.units.pages import ids, page

REASONS = frozenset(reason for reasons in REJECTIONS.values() for reason in reasons)


@cache
def house_words() -> frozenset[str]:
    """Those of all dialects, why they reject entries, and the empty word."""
    declared = [page("dialects", id).facts.get("words", "").split() for id in ids("dialects")]
    return frozenset({"", *REASONS}.union(*declared))
