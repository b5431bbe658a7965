"""Words that dialects give to entries and entities: the only ones of such columns that a share shows where names are hidden.

What stands in a journal that uses another word is a name like any other. The pages of dialects declare them (`words`): types of entries
and entities, what entries do, the services of one journal. A test holds them against the dialects (tests/spark/redaction/test_house_words.py).
"""

from __future__ import annotations

from functools import cache

from spark.terms.rejections import REJECTIONS
from spark.units.pages import ids, page


@cache
def house_words() -> frozenset[str]:
    """Those of all dialects, why they reject entries, and the empty word."""
    declared = [page("dialects", id).facts.get("words", "").split() for id in ids("dialects")]
    return frozenset({"", *REASONS}.union(*declared))


REASONS = frozenset(reason for reasons in REJECTIONS.values() for reason in reasons)
