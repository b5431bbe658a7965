"""References of a finding are named by what people call them, not by the end of an address."""

from __future__ import annotations

import pytest

from webapp.reports.templatetags.report_words import name_of_address


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://github.com/Apicurio/apicurio-registry/issues/3644", "apicurio-registry #3644"),
        ("https://github.com/Apicurio/apicurio-registry/pull/4384", "apicurio-registry #4384"),
        ("https://github.com/Aiven-Open/karapace", "github.com: karapace"),
        ("https://issues.apache.org/jira/browse/KAFKA-7601", "issues.apache.org: KAFKA-7601"),
        ("https://cwiki.apache.org/confluence/display/KAFKA/KIP-630%3A+Kafka+Raft+Snapshot",
         "cwiki.apache.org: KIP-630: Kafka Raft Snapshot"),
        ("https://docs.confluent.io/schema-registry/fundamentals/index.html", "docs.confluent.io: fundamentals"),
        ("https://kafka.apache.org/documentation/#compaction", "kafka.apache.org: compaction"),
        ("https://example.org/" + "-".join(["word"] * 40), "example.org: " + " ".join(["word"] * 10) + " …"),
        ("https://example.org/", "example.org"),
    ],
)  # fmt: skip
def test_an_address_is_named(address: str, name: str) -> None:
    assert name_of_address(address) == name
