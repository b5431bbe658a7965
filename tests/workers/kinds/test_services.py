"""The summary of an inspection names the services that wrote its journals, where several services use such journals."""

from __future__ import annotations

import pytest

from workers.kinds.inspection import services


@pytest.mark.parametrize(
    ("dialect", "profile", "names"),
    [
        ("schema-registry", "Redpanda's schema registry (nodes 1, 2)", ["Redpanda's schema registry"]),
        ("schema-registry", "Confluent Schema Registry or Karapace", ["Confluent Schema Registry", "Karapace"]),
        ("schema-registry", None, []),
        ("apicurio-v2", "Apicurio Registry 2.4.3 or later", []),
        (None, None, []),
    ],
)  # fmt: skip
def test_a_service_is_named_by_its_title(dialect: str | None, profile: str | None, names: list[str]) -> None:
    assert services([{"dialect": dialect, "profile": profile}]) == names
