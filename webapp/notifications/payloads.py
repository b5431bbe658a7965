"""What each service is sent of a notice: headers and body.

Sources, as of 2026:
    Slack        incoming webhooks; Block Kit: header 150 characters, section 3,000; `& < >` are written as entities
    Teams        Workflows, "When a Teams webhook request is received": a message with one Adaptive Card, 28 KB
    Jira         automation rules, trigger "Incoming webhook": any JSON; header X-Automation-Webhook-Token
    PagerDuty    Events API v2, "Send an Alert Event": summary 1,024 characters, dedup_key 255, routing_key exactly 32
    Opsgenie     Alert API, "Create Alert": message 130 characters, alias 512, description 15,000; GenieKey
    ServiceNow   Table API, POST of an incident; Event Management, `em_event`: message_key 1,024, source, node, type 100
"""

from __future__ import annotations

import hashlib
import hmac
import html
import json
import time
from base64 import b64encode
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple, Self

from spark.terms.visible import cut_end, one_line, visible

Post = tuple[dict[str, str], bytes]  # headers and body


class Grade(NamedTuple):
    """A severity in the services' words. ServiceNow makes the priorities 1 to 5 of impact and urgency (1 is high)."""

    pagerduty: str
    opsgenie: str
    servicenow_event: str  # critical, major, minor, warning, info
    impact: str
    urgency: str


GRADES = {
    "critical": Grade("critical", "P1", "1", "1", "1"),
    "high": Grade("error", "P2", "2", "2", "1"),
    "medium": Grade("warning", "P3", "3", "2", "2"),
    "low": Grade("info", "P4", "4", "3", "2"),
    "info": Grade("info", "P5", "5", "3", "3"),
}
CARD_CHARACTERS, CARD_LINES = 4000, 20  # of a Teams card: at most 16 KB and their frames
SENDER = "Journalscope"
OPEN = "Open in Journalscope"


@dataclass(frozen=True)
class Notice:
    """What is sent, for every service the same; nothing in its texts is markup."""

    id: str  # the same for every try
    kind: str
    project: str  # empty for none
    subject: str
    text: str
    url: str  # a path alone where PUBLIC_URL is not set
    at: datetime
    severity: str
    about: str  # the same for all notices of one incident
    source: str  # which Journalscope sends

    @property
    def link(self) -> str:
        """An address that another machine can open, or empty."""
        return self.url if self.url.startswith("http") else ""

    def made_visible(self) -> Self:
        """With control and direction characters escaped, for services that show the texts."""
        return replace(self, subject=one_line(self.subject), text=visible(self.text))

    @property
    def text_and_link(self) -> str:
        return "\n\n".join(filter(None, (self.text, self.link)))


def _json(document: dict[str, Any], **headers: str) -> Post:
    body = json.dumps(document, ensure_ascii=False).encode()
    return {"Content-Type": "application/json"} | headers, body


def journalscope(notice: Notice, secret: str) -> Post:
    """The document of docs/notifications.md, signed."""
    headers, body = _json(
        {
            "id": notice.id,
            "kind": notice.kind,
            "project": notice.project or None,
            "subject": notice.subject,
            "text": notice.text,
            "url": notice.url or None,
            "at": notice.at.isoformat(),
        }
    )
    seconds = int(time.time())
    digest = hmac.new(secret.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    signed = {
        "Journalscope-Delivery": notice.id,
        "Journalscope-Event": notice.kind,
        "Journalscope-Signature": f"t={seconds},v1={digest}",
    }
    return headers | signed, body


def slack(notice: Notice, _: str) -> Post:
    """Plain text, so that nothing in a name is a mention; the link alone is Slack's markup."""
    escape = partial(html.escape, quote=False)

    def block(kind: str, text: str, characters: int) -> dict[str, Any]:
        written = cut_end(text, characters, escape)
        return {"type": kind, "text": {"type": "plain_text", "text": written, "emoji": False}}

    blocks = [block("header", notice.subject, 150)]
    if notice.text:
        blocks.append(block("section", notice.text, 3000))
    if notice.link:
        text = f"<{escape(notice.link)}|{OPEN}>"
        blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": text}})
    return _json({"text": escape(notice.subject), "blocks": blocks})


def teams(notice: Notice, _: str) -> Post:
    """Text runs: unlike text blocks, they have no Markdown, so a name in them is no link."""

    def line(text: str, **look: str) -> dict[str, Any]:
        return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **look}]}

    lines = [text for text in cut_end(notice.text, CARD_CHARACTERS).splitlines() if text]
    facts = [{"title": "Severity", "value": notice.severity}]
    if notice.project:
        facts.append({"title": "Project", "value": notice.project})
    card: dict[str, Any] = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
            line(notice.subject, size="Medium", weight="Bolder"),
            *map(line, lines[:CARD_LINES]),
            {"type": "FactSet", "facts": facts},
        ],
    }
    if notice.link:
        card["actions"] = [{"type": "Action.OpenUrl", "title": OPEN, "url": notice.link}]
    attachment = {
        "contentType": "application/vnd.microsoft.card.adaptive",
        "contentUrl": None,
        "content": card,
    }
    return _json({"type": "message", "attachments": [attachment]})


def jira(notice: Notice, token: str) -> Post:
    """Members that a rule reads as `{{webhookData.summary}}`."""
    document = {
        "summary": cut_end(notice.subject, 255),
        "description": notice.text_and_link,
        "severity": notice.severity,
        "key": notice.about,
        "event": notice.kind,
        "project": notice.project,
        "url": notice.link,
        "id": notice.id,
    }
    return _json(document, **({"X-Automation-Webhook-Token": token} if token else {}))


def pagerduty(notice: Notice, key: str) -> Post:
    document = {
        "routing_key": key,
        "event_action": "trigger",
        "dedup_key": notice.about,
        "client": SENDER,
        "payload": {
            "summary": cut_end(notice.subject, 1024),
            "source": notice.source,
            "severity": GRADES[notice.severity].pagerduty,
            "timestamp": notice.at.isoformat(),
            "group": notice.project,
            "class": notice.kind,
            "custom_details": {"text": notice.text},
        },
        "links": [{"href": notice.link, "text": OPEN}] if notice.link else [],
    }
    return _json(document)


def opsgenie(notice: Notice, key: str) -> Post:
    document = {
        "message": cut_end(notice.subject, 130),
        "alias": notice.about,
        "description": cut_end(notice.text_and_link, 15_000),
        "priority": GRADES[notice.severity].opsgenie,
        "source": cut_end(notice.source, 100),
        "details": {"project": notice.project, "event": notice.kind, "url": notice.link},
    }
    return _json(document, Authorization=f"GenieKey {key}")


def _servicenow(document: dict[str, Any], user_and_password: str) -> Post:
    credentials = b64encode(user_and_password.encode()).decode()
    return _json(document, Accept="application/json", Authorization=f"Basic {credentials}")


def servicenow_incident(notice: Notice, user_and_password: str) -> Post:
    grade = GRADES[notice.severity]
    document = {
        "short_description": cut_end(notice.subject, 160),
        "description": cut_end(notice.text_and_link, 4000),
        "impact": grade.impact,
        "urgency": grade.urgency,
        "correlation_id": notice.about,
        "correlation_display": SENDER,
    }
    return _servicenow(document, user_and_password)


def servicenow_event(notice: Notice, user_and_password: str) -> Post:
    """`additional_info` is JSON in a text; times are UTC without a zone."""
    event = {
        "source": SENDER,
        "node": cut_end(notice.source, 100),
        "resource": cut_end(notice.project, 100),
        "type": notice.kind,
        "severity": GRADES[notice.severity].servicenow_event,
        "message_key": notice.about,
        "description": cut_end("\n".join((notice.subject, notice.text_and_link)), 4000),
        "time_of_event": f"{notice.at.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
        "additional_info": json.dumps({"severity": notice.severity, "url": notice.link}),
    }
    return _servicenow({"records": [event]}, user_and_password)
