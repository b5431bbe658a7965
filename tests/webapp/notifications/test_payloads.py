"""What services are sent, held against what their documentation demands: members, limits, words, no foreign markup.

The rules are those of the services' own pages, which payloads.py names; PagerDuty's and Adaptive Cards' as in their
published schemas.
"""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest

from spark.terms.findings import SEVERITIES
from spark.terms.visible import cut_end
from webapp.notifications.payloads import GRADES, Notice
from webapp.notifications.services import SERVICES

NOTICE = Notice(
    id="7d4ac0b5",
    kind="critical_found",
    project="default",
    subject="2 critical incidents in <orders> & more",
    text="- Content 2 of <!channel> is lost\n- [Key](http://evil.example) is lost",
    url="https://journals.example.org/review/7/",
    at=datetime(2026, 1, 31, 12, 30, tzinfo=UTC),
    severity="critical",
    about="incident:5b1c:9f",
    source="journals.example.org",
)
LONG = replace(
    NOTICE, subject="& <ä😀>" * 50, text="&" * 6000 + "\n" * 90, source="s" * 300, project="p" * 50
)


def text(most: int) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": most}


def members(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "properties": required | optional,
        "additionalProperties": False,
    }


ADDRESS = {"type": "string", "pattern": "^https://"}
PLAIN = members({"type": {"const": "plain_text"}, "text": text(150), "emoji": {"const": False}})
RUN = members(
    {"type": {"const": "TextRun"}, "text": text(28_000)},
    size={"enum": ["Medium"]},
    weight={"enum": ["Bolder"]},
)
FACT = members({"title": text(50), "value": text(100)})
CARD = members(
    {
        "$schema": {"const": "http://adaptivecards.io/schemas/adaptive-card.json"},
        "type": {"const": "AdaptiveCard"},
        "version": {"const": "1.4"},
        "body": {
            "type": "array",
            "items": {
                "oneOf": [
                    members({"type": {"const": "RichTextBlock"}, "inlines": {"type": "array", "items": RUN}}),
                    members({"type": {"const": "FactSet"}, "facts": {"type": "array", "items": FACT}}),
                ]
            },
        },
    },
    actions={
        "type": "array",
        "items": members({"type": {"const": "Action.OpenUrl"}, "title": text(50), "url": ADDRESS}),
    },
)
SHAPES = {
    "slack": members(
        {
            "text": text(4000),
            "blocks": {
                "type": "array",
                "maxItems": 50,
                "prefixItems": [
                    members({"type": {"const": "header"}, "text": PLAIN}),
                    members(
                        {
                            "type": {"const": "section"},
                            "text": PLAIN | {"properties": PLAIN["properties"] | {"text": text(3000)}},
                        }
                    ),
                    members(
                        {
                            "type": {"const": "section"},
                            "text": members({"type": {"const": "mrkdwn"}, "text": text(3000)}),
                        }
                    ),
                ],
            },
        }
    ),
    "teams": members(
        {
            "type": {"const": "message"},
            "attachments": {
                "type": "array",
                "minItems": 1,
                "items": members(
                    {
                        "contentType": {"const": "application/vnd.microsoft.card.adaptive"},
                        "contentUrl": {"type": "null"},
                        "content": CARD,
                    }
                ),
            },
        }
    ),
    "jira": members(
        {
            "summary": text(255), "description": text(32_767), "severity": {"enum": list(SEVERITIES)}, "key": text(255),
            "event": text(50), "project": text(100), "url": ADDRESS, "id": text(50),
        }
    ),
    "pagerduty": members(
        {
            "routing_key": {"type": "string", "pattern": "^.{32}$"},
            "event_action": {"const": "trigger"},
            "dedup_key": text(255),
            "payload": members(
                {
                    "summary": text(1024), "source": text(1024), "severity": {"enum": ["critical", "error", "warning", "info"]},
                },
                timestamp=text(40), group=text(100), **{"class": text(100)}, custom_details={"type": "object"},
            ),
        },
        client=text(100),
        links={"type": "array", "items": members({"href": ADDRESS, "text": text(100)})},
    ),
    "opsgenie": members(
        {"message": text(130)},
        alias=text(512), description=text(15_000), priority={"enum": ["P1", "P2", "P3", "P4", "P5"]}, source=text(100),
        details={"type": "object", "additionalProperties": {"type": "string"}},
    ),
    "servicenow": members(
        {"short_description": text(160)},
        description=text(4000), impact={"enum": ["1", "2", "3"]}, urgency={"enum": ["1", "2", "3"]},
        correlation_id=text(100), correlation_display=text(100),
    ),
    "servicenow-event": members(
        {
            "records": {
                "type": "array",
                "items": members(
                    {"source": text(100), "severity": {"enum": ["0", "1", "2", "3", "4", "5"]}},
                    node=text(100), resource=text(100), type=text(100), message_key=text(1024), description=text(4000),
                    time_of_event={"type": "string", "pattern": "^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$"},
                    additional_info={"type": "string"},
                ),
            }
        }
    ),
}  # fmt: skip
KEYS = {"pagerduty": "k" * 32, "servicenow": "robot:pass word", "servicenow-event": "robot:pass word"}
ALL = pytest.mark.parametrize("service", SHAPES)


def post(service: str, notice: Notice = NOTICE) -> tuple[dict[str, str], Any]:
    headers, body = SERVICES[service].post(notice, KEYS.get(service, "key"))
    assert headers["Content-Type"] == "application/json"
    return headers, json.loads(body)


def valid(service: str, notice: Notice) -> Any:
    document = post(service, notice)[1]
    jsonschema.Draft202012Validator(SHAPES[service]).validate(document)
    return document


def test_each_service_has_its_rules_here() -> None:
    assert {*SHAPES, "journalscope"} == set(SERVICES)


@ALL
@pytest.mark.parametrize("severity", SEVERITIES)
def test_a_service_gets_what_it_demands(service: str, severity: str) -> None:
    document = valid(service, replace(NOTICE, severity=severity))
    assert "https://journals.example.org/review/7/" in json.dumps(document)


@ALL
def test_long_texts_are_cut_to_the_services_limits(service: str) -> None:
    document = valid(service, LONG)
    assert len(json.dumps(document, ensure_ascii=False).encode()) < 28_000


@ALL
def test_without_text_project_and_public_address_nothing_is_empty_that_must_not_be(service: str) -> None:
    _, document = post(service, replace(NOTICE, text="", project="", url="/review/7/"))
    written = json.dumps(document)
    assert "/review/7/" not in written  # a path alone leads nowhere from another machine
    assert "https://journals" not in written
    if service == "slack":
        assert [block["type"] for block in document["blocks"]] == ["header"]


def test_the_words_of_severities() -> None:
    assert set(GRADES) == set(SEVERITIES)
    by_severity = {
        severity: (
            post("pagerduty", replace(NOTICE, severity=severity))[1]["payload"]["severity"],
            post("opsgenie", replace(NOTICE, severity=severity))[1]["priority"],
            post("servicenow-event", replace(NOTICE, severity=severity))[1]["records"][0]["severity"],
        )
        for severity in SEVERITIES
    }
    assert by_severity == {
        "critical": ("critical", "P1", "1"),
        "high": ("error", "P2", "2"),
        "medium": ("warning", "P3", "3"),
        "low": ("info", "P4", "4"),
        "info": ("info", "P5", "5"),
    }


def test_one_incident_has_one_key_in_every_message_about_it() -> None:
    for service, path in (
        ("pagerduty", ("dedup_key",)),
        ("opsgenie", ("alias",)),
        ("jira", ("key",)),
        ("servicenow", ("correlation_id",)),
        ("servicenow-event", ("records", 0, "message_key")),
    ):
        for notice in (NOTICE, replace(NOTICE, id="another", kind="assigned", subject="Other words")):
            value = post(service, notice)[1]
            for step in path:
                value = value[step]
            assert value == NOTICE.about


def test_keys_go_where_each_service_looks_for_them() -> None:
    assert post("pagerduty")[1]["routing_key"] == "k" * 32
    assert post("opsgenie")[0]["Authorization"] == "GenieKey key"
    assert post("jira")[0]["X-Automation-Webhook-Token"] == "key"
    assert "X-Automation-Webhook-Token" not in SERVICES["jira"].post(NOTICE, "")[0]
    for service in ("servicenow", "servicenow-event"):
        scheme, _, credentials = post(service)[0]["Authorization"].partition(" ")
        assert (scheme, b64decode(credentials)) == ("Basic", b"robot:pass word")
    for service in ("slack", "teams"):
        assert list(post(service)[0]) == ["Content-Type"]


def test_a_name_is_no_markup_in_a_chat() -> None:
    slack = json.dumps(post("slack")[1])
    assert "<!channel>" not in slack
    assert "&lt;!channel&gt;" in slack
    card = post("teams")[1]["attachments"][0]["content"]
    assert "TextBlock" not in {part["type"] for part in card["body"]}  # these would make a link of the name


def test_control_characters_are_made_visible() -> None:
    notice = replace(NOTICE, subject="a\u202eb\nc", text="one\ntwo\x1b").made_visible()
    assert (notice.subject, notice.text) == ("a\\u202eb\\nc", "one\ntwo\\x1b")


@pytest.mark.parametrize("characters", [0, 1, 5, 6, 7, 30])
def test_a_cut_text_is_whole_as_it_is_written(characters: int) -> None:
    def twice(text: str) -> str:
        return "".join(letter * 2 for letter in text)

    written = cut_end("abcdef", characters, twice)
    assert written == "aabbccddeeff" or (len(written) <= max(characters, 2) and written.endswith("……"))
