"""The dialects of Connect, ksqlDB and Debezium take no other journal of the corpus for theirs."""

from __future__ import annotations

import pytest

from spark.terms.errors import UnreadableInput
from tests.spark.log_folders import planned
from tests.spark.transaction_logs import CORPUS, NO_CORPUS

OURS = {"connect", "ksqldb-commands", "debezium-history"}
OTHERS = sorted(
    str(path.relative_to(CORPUS))
    for pattern in ("apicurio*/*", "brokers/*", "internal-real/*", "kafka/*", "karapace*", "schemas-real/*")
    for path in CORPUS.glob(pattern)
    if path.is_dir()
)


@pytest.mark.long
@pytest.mark.wide
@pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)
def test_other_journals_are_left_to_others() -> None:
    taken = {}
    for case in OTHERS:
        try:
            found = planned(CORPUS / case).dialects
        except UnreadableInput:
            continue
        taken |= {f"{case} {topic}": name for topic, (name, _) in found.items() if name in OURS}
    assert taken == {}
    assert len(OTHERS) > 40
