"""Kafka's own topics and no others are taken for such: over every journal of the corpus, and the project's samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources import InputFile
from spark.stages.plan import plan_inputs
from spark.terms.errors import UnreadableInput
from tests.generator import samples
from tests.spark.log_folders import inputs
from tests.spark.transaction_logs import CORPUS, NO_CORPUS

OF_THE_KAFKA_TOPICS = {
    "__transaction_state": "transaction-state",
    "__consumer_offsets": "consumer-offsets",
    "__cluster_metadata": "cluster-metadata",
    "__remote_log_metadata": "remote-log-metadata",
    "__share_group_state": "share-group-state",
}
KAFKA_DIALECTS = {*OF_THE_KAFKA_TOPICS.values(), "mirror-maker"}
OF_THE_PRINTS = {
    "incidents/25-mirror-topics-healthy": "mirror-maker",
    "incidents/25-mirror-topics-incident": "mirror-maker",
}  # whose topic only the command above the print names
MAX_PRINT_BYTES = 200_000  # a long print takes long to recognise and says no more
CASES = sorted(str(case.parent.relative_to(CORPUS)) for case in CORPUS.rglob("case.json"))


def taken(folder: Path) -> dict[str, str]:
    """The dialects of a folder's topics; nothing where no journal is in it."""
    try:
        planned = plan_inputs([file for file in inputs(folder) if is_read(file)], {})
    except UnreadableInput:
        return {}
    return {topic: name for topic, (name, _) in planned.dialects.items()}


def is_read(file: InputFile) -> bool:
    """Not what the broker printed of these topics in its own words."""
    is_log = file.name.endswith((".log", ".checkpoint"))
    return is_log or (file.size_bytes < MAX_PRINT_BYTES and ".decoded." not in file.name)


def expected(topic: str) -> str | None:
    return next((name for start, name in OF_THE_KAFKA_TOPICS.items() if topic.split(" ")[0] == start), None)


@pytest.mark.wide
@pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)
@pytest.mark.parametrize("case", CASES)
def test_each_journal_of_the_corpus_keeps_its_dialect(case: str) -> None:
    for topic, name in taken(CORPUS / case).items():
        assert (topic, name if name in KAFKA_DIALECTS else None) == (
            topic,
            OF_THE_PRINTS.get(case, expected(topic)),
        )


def test_the_samples_keep_their_dialect(tmp_path: Path) -> None:
    samples.write(tmp_path)
    assert set(taken(tmp_path / "healthy").values()) == {"apicurio-v2"}
    assert set(taken(tmp_path / "broken").values()) == {"apicurio-v2"}
