"""Services that take a project's webhooks: what each of them needs, and how people find that in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from webapp.notifications import payloads
from webapp.notifications.payloads import Notice, Post

TOKEN, ROUTING_KEY, PASSWORD = map(re.compile, (r"[!-~]{1,500}", r"[!-~]{32}", r".{1,500}"))
KEY_RULES = {
    TOKEN: "It has ASCII characters only, no spaces, at most 500.",
    ROUTING_KEY: "It has 32 characters.",
    PASSWORD: "It has at most 500 characters.",
}


@dataclass(frozen=True)
class Service:
    """What a service takes, and where in it people find that."""

    title: str
    directions: str  # to its address and key
    post: Callable[[Notice, str], Post]
    address: str = ""  # where there is a usual one
    path: str = ""  # how its addresses end
    key: str = ""  # what its key is called; empty: it takes none
    key_form: re.Pattern[str] = TOKEN
    needs_key: bool = True
    has_user: bool = False
    has_secret_address: bool = False  # who knows it may post


JOURNALSCOPE = "journalscope"
SERVICES = {
    JOURNALSCOPE: Service(
        "Signed JSON", "An address of your own receiver. It checks the signature with the secret that is shown once.",
        payloads.journalscope,
    ),
    "slack": Service(
        "Slack", "In your Slack app: Features, Incoming Webhooks, Add New Webhook to Workspace. Copy the webhook URL.",
        payloads.slack, has_secret_address=True,
    ),
    "teams": Service(
        "Microsoft Teams", "In the channel's menu: Workflows, the template that posts to a channel when a webhook request is received. "
        "Copy the URL.", payloads.teams, has_secret_address=True,
    ),
    "jira": Service(
        "Jira", "In Jira: project settings, Automation, a rule with the trigger Incoming webhook. Copy its URL and its secret.",
        payloads.jira, key="Secret", needs_key=False, has_secret_address=True,
    ),
    "pagerduty": Service(
        "PagerDuty", "On the service's page: Integrations, Add an integration, Events API V2. Copy the integration key. "
        "Accounts in the EU use https://events.eu.pagerduty.com/v2/enqueue.",
        payloads.pagerduty, "https://events.pagerduty.com/v2/enqueue", "/v2/enqueue", "Integration key", ROUTING_KEY,
    ),
    "opsgenie": Service(
        "Opsgenie", "In the team's page: Integrations, Add integration, API. Copy the API key. Accounts in the EU use "
        "https://api.eu.opsgenie.com/v2/alerts; Jira Service Management uses https://api.atlassian.com/jsm/ops/integration/v2/alerts.",
        payloads.opsgenie, "https://api.opsgenie.com/v2/alerts", "/v2/alerts", "API key",
    ),
    "servicenow": Service(
        "ServiceNow incident", "https://INSTANCE.service-now.com/api/now/table/incident, with a user whose roles allow it to create incidents.",
        payloads.servicenow_incident, path="/table/incident", key="Password", key_form=PASSWORD, has_user=True,
    ),
    "servicenow-event": Service(
        "ServiceNow event", "https://INSTANCE.service-now.com/api/global/em/jsonv2, with a user with the role evt_mgmt_integration "
        "(needs Event Management).",
        payloads.servicenow_event, path="/em/jsonv2", key="Password", key_form=PASSWORD, has_user=True,
    ),
}  # fmt: skip
