"""Names that look like a ticket system's own signs stay names, in every markup."""

from __future__ import annotations

import pytest

from tests.webapp.reports.result_folder import finding, report_document
from webapp.reports.report import read_report
from webapp.reports.ticket import jira, markdown, plain, ticket_text, ticket_texts

LINK = "https://journals.example.org/r"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("{code}", "\\{code\\}"),
        ("a|b", "a\\|b"),
        ("*bold*", "\\*bold\\*"),
        ("[~somebody]", "\\[\\~somebody\\]"),
        ("_under_", "\\_under\\_"),
        ("content_hash", "content_hash"),
        ("journal-0", "journal-0"),
        ("-struck-", "\\-struck\\-"),
        ("!image.png!", "\\!image.png\\!"),
        ("??cite??", "\\?\\?cite\\?\\?"),
        ("a\\b", "a\\\\b"),
        ("yes (/) no (x)", "yes \\(/) no \\(x)"),
        ("two\nlines", "two lines"),
    ],
)
def test_jira_takes_no_sign_for_its_own(words: str, told: str) -> None:
    assert jira.text(words) == told
    assert jira.code(words) == "{{" + told + "}}"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("*bold*", "\\*bold\\*"),
        ("a|b", "a\\|b"),
        ("<script>", "\\<script\\>"),
        ("[x](http://y)", "\\[x\\](http://y)"),
        ("content_hash", "content_hash"),
        ("_under_", "\\_under\\_"),
        ("&amp; & co", "\\&amp; & co"),
        ("{code}", "{code}"),
        ("two\r\nlines", "two lines"),
    ],
)
def test_markdown_takes_no_sign_for_its_own(words: str, told: str) -> None:
    assert markdown.text(words) == told


@pytest.mark.parametrize(
    ("words", "told"),
    [("*", "`*`"), ("a`b", "``a`b``"), ("`", "`` ` ``"), ("a``b`", "``` a``b` ```"), ("a|b", "`a|b`")],
)
def test_a_fence_of_markdown_is_longer_than_the_backticks_in_it(words: str, told: str) -> None:
    assert markdown.code(words) == told


def test_plain_text_has_no_signs_and_shows_unseen_characters() -> None:
    assert plain.text("a\x00b\u202ec") == "a\\x00b\\u202ec"
    assert plain.code("*") == "*"


def test_steps_and_commands_of_a_remedy_are_those_of_the_markup() -> None:
    report = read_report(
        report_document(findings=[finding("a", remedy="1. Stop it.\n2. Run `kcat -k {code}`.\n\nThen look.")])
    )
    texts = {one.name: one.text for one in ticket_texts(report, LINK)}
    assert "1. Stop it.\n2. Run `kcat -k {code}`.\n3. Then look.\n" in texts["markdown"]
    assert "# Stop it.\n# Run {{kcat \\-k \\{code\\}}}.\n# Then look.\n" in texts["jira"]
    assert "1. Stop it.\n2. Run kcat -k {code}.\n3. Then look.\n" in texts["plain"]


def test_the_same_facts_stand_in_every_markup() -> None:
    report = read_report(
        report_document(findings=[finding("a", title="The key `{code}|*` is lost", evidence=[6, 1000])])
    )
    for text, key in zip(
        ticket_texts(report, LINK), ("`{code}|*`", "{{\\{code\\}\\|\\*}}", "{code}|*"), strict=True
    ):
        assert f"The key {key} is lost" in text.text
        assert "offsets 6 and 1000" in text.text
        assert "3 records" in text.text
        assert text.text.endswith(f"Report (sign-in needed): {LINK}\n")


def test_a_lone_backtick_is_a_sign_like_any_other() -> None:
    report = read_report(report_document(findings=[finding("a", title="The key ` is lost")]))
    assert "The key \\` is lost" in ticket_text(report, LINK)
