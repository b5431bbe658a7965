"""Address templates of "Create ticket": which are taken, and what they become."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from webapp.audit.models import Event
from webapp.ticket_address import (
    EXAMPLES,
    MAX_ADDRESS,
    PLACEHOLDERS,
    InvalidTemplate,
    check,
    fill,
)

PAGE = "/accounts/projects/default/"
NEW = "https://tickets.example.org/new"
URL = "https://journals.example.org/inspections/7/report/?partition=0&isolation=committed"
LINK = f"Report (sign-in needed): {URL}"
TEXTS = {
    "markdown": f"**Critical, proven:** 1 key is lost & more\n- Journal: `a#b+c%41`\n- {LINK}\n",
    "jira": f"*Critical, proven:* 1 key is lost\n* {LINK}\n",
    "plain": f"Critical, proven: 1 key is lost\n- {LINK}\n",
}


def values(template: str, texts: dict[str, str] = TEXTS, summary: str = "Critical: a & b = 5 % #1") -> Any:
    """The parameters as the ticket system reads them."""
    address = fill(template, summary=summary, texts=texts, url=URL)
    assert address.isascii()
    assert len(address) <= MAX_ADDRESS
    return {name: value for name, (value,) in parse_qs(urlsplit(address).query, strict_parsing=True).items()}


@pytest.mark.parametrize("template", EXAMPLES.values(), ids=EXAMPLES)
def test_the_examples_of_the_page_are_taken(template: str) -> None:
    check(template)
    assert fill(template, summary="a", texts=TEXTS, url=URL).startswith(template.partition("{")[0])


def test_each_value_arrives_as_it_is() -> None:
    template = (
        f"{NEW}?a={{summary}}&b={{description}}&c={{description_jira}}&d={{description_plain}}&e={{url}}"
    )
    check(template)
    assert values(template) == {
        "a": "Critical: a & b = 5 % #1",
        "b": TEXTS["markdown"].strip(),
        "c": TEXTS["jira"].strip(),
        "d": TEXTS["plain"].strip(),
        "e": URL,
    }
    assert set(PLACEHOLDERS) == {"summary", "description", "description_jira", "description_plain", "url"}


def test_half_a_character_arrives_as_its_number() -> None:
    texts = dict.fromkeys(TEXTS, f"Key a\ud800\n{LINK}")
    filled = values(f"{NEW}?a={{summary}}&b={{description}}", texts, "Key \udfff")
    assert filled == {"a": r"Key \udfff", "b": f"Key a\\ud800\n{LINK}"}


@pytest.mark.parametrize("letter", ["x", "&", "ü", "😀"])
def test_a_long_text_loses_whole_lines_and_keeps_its_link(letter: str) -> None:
    lines = [f"{number} {letter * 60}" for number in range(200)]
    texts = TEXTS | {"markdown": "\n".join([*lines, LINK, ""])}
    sent = values(f"{NEW}?t={{summary}}&d={{description}}", texts, summary=letter * 2000)
    *kept, dots, link = sent["d"].splitlines()
    assert kept
    assert kept == lines[: len(kept)]
    assert (dots, link) == ("…", LINK)
    assert sent["t"].strip("…") == letter * len(sent["t"].strip("…"))


def test_one_long_line_leaves_the_link() -> None:
    texts = TEXTS | {"markdown": f"{'x' * 5000}\n{LINK}\n"}
    assert values(f"{NEW}?d={{description}}", texts)["d"] == f"…\n{LINK}"


def test_two_descriptions_share_the_room() -> None:
    texts = {name: "\n".join(["x" * 100] * 90 + [LINK]) for name in TEXTS}
    sent = values(f"{NEW}?a={{description}}&b={{description_jira}}", texts)
    assert sent["a"] == sent["b"]
    assert sent["a"].endswith(f"…\n{LINK}")


def test_an_address_without_room_for_the_link_is_none() -> None:
    assert fill(f"{NEW}?u={{url}}", summary="a", texts=TEXTS, url="https://h/" + "x" * 5000) == ""
    assert fill("", summary="a", texts=TEXTS, url=URL) == ""


@pytest.mark.parametrize(
    ("template", "sentence"),
    [
        ("ftp://tickets.example.org/{summary}", "This is not an address such as https://"),
        ("javascript:alert({summary})", "This is not an address such as https://"),
        ("//tickets.example.org/{summary}", "This is not an address such as https://"),
        ("https://[::1/{summary}", "This is not an address such as https://"),
        ("https:///new?t={summary}", "This is not an address such as https://"),
        ("http://tickets.example.org/{summary}", "tickets.example.org is another machine. Use https"),
        ("https://me:secret@tickets.example.org/{summary}", "Remove name and password"),
        ("https://{summary}@tickets.example.org/", "Remove name and password"),
        ("https://{summary}.example.org/", "Placeholders stand after the host"),
        (f"{NEW}?t={{titel}}", "{titel} is not a placeholder. Use {summary}, {description}"),
        (f"{NEW}?t={{}}", "{} is not a placeholder."),
        (f"{NEW}?t={{summary}}}}", "Write it as %7B or %7D."),
        (f"{NEW}?t=a b", "Write the address in ASCII without spaces"),
        (f"{NEW}?t=ü", "Write the address in ASCII without spaces"),
        (f"{NEW}?t=a\tb", "Write the address in ASCII without spaces"),
        (f"{NEW}?t={'x' * 1000}", "more than 1,000 characters"),
    ],
)
def test_a_template_that_does_not_do_says_why(template: str, sentence: str) -> None:
    with pytest.raises(InvalidTemplate) as why:
        check(template)
    assert sentence in str(why.value)


def test_http_is_for_this_machine_and_where_the_site_consents(settings: Any) -> None:
    for here in ("http://localhost:8080/{summary}", "http://127.0.0.1/{summary}", "http://[::1]/{summary}"):
        check(here)
    settings.WEBHOOKS_OVER_HTTP = True
    check("http://tickets.example.org/{summary}")


def test_an_admin_sets_it_and_the_log_does_not_have_it(sign_in: Any, admin: Any, project: Any) -> None:
    browser = sign_in(admin)
    template = EXAMPLES["GitHub"]
    assert browser.post(f"{PAGE}ticket/", {"ticket_template": f" {template} "}).status_code == 302
    project.refresh_from_db()
    assert project.ticket_template == template
    assert Event.objects.get(action="project.ticket-address-changed").detail == {"is_set": True}
    refused = browser.post(f"{PAGE}ticket/", {"ticket_template": "https://a/{b}"})
    assert refused.status_code == 422
    assert "{b} is not a placeholder." in refused.content.decode()
    assert browser.post(f"{PAGE}ticket/", {"ticket_template": ""}).status_code == 302
    project.refresh_from_db()
    assert project.ticket_template == ""


def test_it_is_for_admins(sign_in: Any, reviewer: Any, stranger: Any, project: Any) -> None:
    for user, status in ((reviewer, 403), (stranger, 404)):
        assert sign_in(user).post(f"{PAGE}ticket/", {"ticket_template": NEW}).status_code == status
    project.refresh_from_db()
    assert project.ticket_template == ""
