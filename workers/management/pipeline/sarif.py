"""SARIF 2.1.0 (OASIS): a result for each finding, a rule for each detector that found something."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from spark.terms.installation import version
from spark.terms.visible import visible_json
from workers.management.pipeline.counted import CountedFindings, Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"critical": "error", "high": "error", "medium": "warning", "low": "note", "info": "note"}


def written(report: Mapping[str, Any], counted: CountedFindings) -> str:
    findings = report["findings"]
    rules = sorted({finding["detector"] for finding in findings})
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "Journalscope",
                "semanticVersion": version(),
                "rules": [{"id": rule, "name": rule} for rule in rules],
            }
        },
        "artifacts": [artifact(file) for file in report["files"]],
        "results": [result(finding, rules, report, counted) for finding in findings],
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": list(notes(report))}],
        "properties": {"verdict": report["verdict"]["sentence"]},
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return visible_json(json.dumps(document, ensure_ascii=False, indent=1))


def artifact(file: Mapping[str, Any]) -> dict[str, Any]:
    described = {"location": {"uri": uri(file["name"])}, "length": file["size_bytes"]}
    return described | ({"hashes": {"sha-256": file["sha256"]}} if file["sha256"] else {})


def result(
    finding: Finding, rules: list[str], report: Mapping[str, Any], counted: CountedFindings
) -> dict[str, Any]:
    """`partialFingerprints` has the id of a finding, which stays the same in later dumps."""
    sorted_in: dict[str, Any] = {
        "ruleId": finding["detector"],
        "ruleIndex": rules.index(finding["detector"]),
        "level": LEVELS[finding["severity"]],
        "message": {
            "text": "\n\n".join(filter(None, (finding["title"], finding["explanation"], finding["remedy"])))
        },
        "locations": [location(finding, offset, report) for offset in places(finding)],
        "partialFingerprints": {"finding/v1": finding["id"]},
        "properties": {"severity": finding["severity"], "confidence": finding["confidence"]},
    }
    if counted.in_baseline is not None:
        sorted_in["baselineState"] = "unchanged" if finding["id"] in counted.in_baseline else "new"
    if ignored := counted.ignored.get(finding["id"]):
        sorted_in["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": ignored.reason}
        ]
    return sorted_in


def places(finding: Finding) -> list[int | None]:
    """The record that completes the proof."""
    return [*finding["evidence"][-1:]] or [finding["first_offset"]]


def location(finding: Finding, offset: int | None, report: Mapping[str, Any]) -> dict[str, Any]:
    """A topic, partition and offset are a logical location; a physical one is asked for by forges: the first file of the input."""
    partition = "" if finding["partition"] is None else f"-{finding['partition']}"
    named = f"{finding['topic']}{partition}"
    at = named if offset is None else f"{named}@{offset}"
    logical = [{"fullyQualifiedName": at, "kind": "record" if offset is not None else "topic"}]
    files = [file for file in report["files"] if file["kind"] != "companion"] or report["files"]
    physical = {"physicalLocation": {"artifactLocation": {"uri": uri(files[0]["name"])}}} if files else {}
    return {"logicalLocations": logical, **physical}


def notes(report: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Checks that did not run for want of data, or failed."""
    for check in report["not_run"]:
        if check["reason"] in ("better-data", "failed"):
            level = "error" if check["reason"] == "failed" else "note"
            yield {"level": level, "message": {"text": f"{check['detector']}: {check['why']}"}}


def uri(name: str) -> str:
    return quote(name, safe="/")
