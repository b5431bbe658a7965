"""A project's address template for "Create ticket": opens the form of a ticket system with the report in it.

    https://jira.example/secure/CreateIssueDetails!init.jspa?pid=1&issuetype=1&summary={summary}&description={description_jira}

Values are percent-encoded. Servers take request lines of 8 KB (Apache, nginx); Tomcat, under Jira, counts all headers as
well, so that half of it is left to cookies. A description is cut by whole lines, and its last one, the link, stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from urllib.parse import quote, urlsplit

from django.conf import settings

from spark.terms.visible import cut_end
from webapp.networks.guard import is_loopback

MAX_TEMPLATE = 1000
MAX_ADDRESS = 4000
MAX_SUMMARY = 600  # characters as encoded
PLACEHOLDERS = {
    "summary": "the headline",
    "description": "the text of Copy for ticket as Markdown",
    "description_jira": "the same as Jira's markup",
    "description_plain": "the same as plain text",
    "url": "the address of the report",
}
EXAMPLES = {
    "Jira Data Center": "https://jira.example.org/secure/CreateIssueDetails!init.jspa?pid=10000&issuetype=1&summary={summary}"
    "&description={description_jira}",
    "GitHub": "https://github.com/OWNER/REPOSITORY/issues/new?title={summary}&body={description}",
    "GitLab": "https://gitlab.example.org/GROUP/PROJECT/-/issues/new?issue[title]={summary}&issue[description]={description}",
    "ServiceNow": "https://INSTANCE.service-now.com/incident.do?sys_id=-1&sysparm_query=short_description={summary}"
    "^description={description_plain}",
}
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")

encode = partial(quote, safe="", errors="backslashreplace")  # half a character: JSON may have one


class InvalidTemplate(ValueError):
    """What is wrong with an address template and what to do, as a sentence."""


def check(template: str) -> None:
    """Raises InvalidTemplate."""
    if len(template) > MAX_TEMPLATE:
        raise InvalidTemplate(f"The address has more than {MAX_TEMPLATE:,} characters. Shorten it.")
    for name in PLACEHOLDER.findall(template):
        if name not in PLACEHOLDERS:
            names = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
            raise InvalidTemplate(f"{{{name}}} is not a placeholder. Use {names}.")
    filled = PLACEHOLDER.sub("x", template)
    if "{" in filled or "}" in filled:
        raise InvalidTemplate("A brace is not part of a placeholder. Write it as %7B or %7D.")
    if not filled.isascii() or not filled.isprintable() or " " in filled:
        raise InvalidTemplate("Write the address in ASCII without spaces, everything else percent-encoded.")
    try:
        parts = urlsplit(filled)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in {"https", "http"}:
        raise InvalidTemplate(
            "This is not an address such as https://tickets.example.org/new?title={summary}."
        )
    if parts.username is not None:
        raise InvalidTemplate(
            "Remove name and password from the address: everyone who opens it would see them."
        )
    if not template.startswith(f"{parts.scheme}://{parts.netloc}"):
        raise InvalidTemplate("Placeholders stand after the host: in the path, the query or behind a #.")
    if parts.scheme == "http" and not settings.WEBHOOKS_OVER_HTTP and not _is_here(host):
        raise InvalidTemplate(f"{host} is another machine. Use https, so that the text is encrypted.")


def fill(template: str, *, summary: str, texts: Mapping[str, str], url: str) -> str:
    """The address with its values; empty without a template, and where not even the link has room in it.

    `texts`: by markup, as "Copy for ticket" has them.
    """
    short = {"summary": cut_end(summary, MAX_SUMMARY, encode), "url": encode(url)}
    long = {
        "description": texts["markdown"],
        "description_jira": texts["jira"],
        "description_plain": texts["plain"],
    }
    address = PLACEHOLDER.sub(lambda match: short.get(match[1], match[0]), template)
    names = [name for name in PLACEHOLDER.findall(address) if name in long]
    room = MAX_ADDRESS - len(PLACEHOLDER.sub("", address))
    for name in long:
        address = address.replace(f"{{{name}}}", _cut(long[name], room // max(1, len(names))))
    return address if len(address) <= MAX_ADDRESS else ""


def _cut(text: str, room: int) -> str:
    """Encoded: as many of the first lines as fit, and the last one."""
    *lines, link = text.strip().splitlines()
    if len(whole := encode("\n".join([*lines, link]))) <= room:
        return whole
    while lines and len(encode("\n".join([*lines, "…", link]))) > room:
        lines.pop()
    return encode("\n".join([*lines, "…", link]))


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or is_loopback(host)
    except ValueError:  # a name
        return False
