"""Names of the versions that a repair recovers, and of those that it does not, by what its trial says of a partition."""

from __future__ import annotations

from typing import Any


def lost_versions(outcome: dict[str, Any]) -> set[str]:
    """Names of versions that are lost already, whether the repair recovers them or not."""
    refused = {name for gone in outcome.get("refused", ()) for name in gone["needed_by"]}
    return {*outcome["mended"]} - {*outcome.get("at_risk", ())} | missing_names(outcome) | refused


def recovered(outcome: dict[str, Any]) -> set[str]:
    """Names of entities that the repair recovers."""
    return set(outcome["mended"]) - missing_names(outcome)


def missing_names(outcome: dict[str, Any]) -> set[str]:
    """Names of entities that cannot be recovered."""
    return {name for content in outcome["missing"] for name in content["needed_by"]}
