"""Patterns that are how holes begin, and the places that were looked at and may keep theirs, each with its reason.

ruff's S rules (flake8-bandit: all of bandit's tests that concern this code) run in `make lint`; these are what they cannot
see: templates, scripts of pages, SQL that Django runs, and who opens connections.
"""

from __future__ import annotations

import re

import pytest

from tests.test_house_rules import texts

OURS = ("webapp", "workers", "spark", "scripts", "manage.py")
# pattern -> files that may have it, each with its reason
PYTHON = {
    r"mark_safe\(": {
        "webapp/review/comments.py": "every piece is escaped",
        "webapp/reports/typed_text.py": "every piece is escaped where it is made",
        "webapp/reports/record_table/cells.py": "every text is escaped; the looks are words of ours",
        "webapp/reports/offset_links.py": "every piece is escaped, or a number",
        "webapp/catalogue/markdown.py": "our own Markdown files; HTML in them is escaped",
        "webapp/sharing/evidence/members.py": "our own style sheet",
        "webapp/sharing/evidence/content.py": "an SVG of numbers and a quoted name",
    },
    r"format_html\(\s*(f[\"']|[\"'][^\"']*[\"']\s*%)|SafeString\(|SafeText\(": {},
    r"\.raw\(|\.extra\(|RawSQL\(": {},
    r"(cursor\(\)|cursor|schema_editor)\.execute\(\s*f": {
        "webapp/audit/migrations/0001_squashed.py": "names of triggers and tables, from a constant",
        "workers/backup/rows.py": "names of our tables, quoted",
    },
    r"shell\s*=\s*True|os\.system\(|os\.popen\(|getoutput\(": {},
    r"\b(pickle|marshal|shelve|dill|cloudpickle)\b\.|\byaml\.(load|unsafe_load|full_load)(_all)?\(": {
        "spark/redaction/process.py": "from a process of ours to its child, by a pipe",
    },
    r"(?<![\w.\"])(eval|exec|__import__)\(": {},
    r"@csrf_exempt|_dont_enforce_csrf_checks|@xframe_options_exempt|@csp_exempt": {
        "webapp/accounts/provider/saml.py": "a provider's post, which is believed only in the session that asked for it",
        "webapp/api/middleware.py": "a token in a header, which no browser adds by itself",
        "webapp/sharing/views/shared.py": "pages without a referrer send no origin; the address is the secret",
    },
    r"verify\s*=\s*False|_create_unverified|CERT_NONE|check_hostname\s*=": {
        "workers/kafka/tls.py": "people may switch the check of a broker's host name off, never that of its certificate",
    },
    r"create_connection\(|getaddrinfo\(|urlopen\(|http\.client|urllib\.request|urllib3|socket\.socket\(|smtplib\.SMTP": {
        "workers/net/http.py": "the one HTTP client",
        "webapp/networks/guard.py": "the one guard",
        "workers/net/tcp.py": "to addresses that were checked",
        "workers/server/preflight.py": "whether a port of this machine is free",
        "spark/runtime/fork_server.py": "a socket file between our own processes",
        "spark/entry/preview_server.py": "sockets without an address that the web process hands over",
    },
    r"extractall\(|shutil\.unpack_archive": {},
    r"xml\.(etree|dom|sax)(?!\.saxutils)|\blxml\b|minidom": {
        "workers/management/pipeline/junit.py": "writes XML and reads none",
    },
    r"redirect\(request\.(GET|POST|META|headers)|HttpResponseRedirect\(": {},
    r"random\.(random|choice|randint|randbytes|getrandbits)\(": {},
}  # fmt: skip
TEMPLATES = {
    r"\|\s*safe\b|safeseq|autoescape off": {
        "templates/partials/field.html": "help texts of our own forms",
        "templates/accounts/invitation.txt": "a mail in plain text",
        "templates/sharing/preview.html": "a template that was rendered, and escaped, before",
    },
    r"<script(?![^>]*\ssrc=)(?![^>]*application/json)|javascript:|\son\w+=": {},
}  # fmt: skip
SCRIPTS = {
    r"\.innerHTML\s*=|insertAdjacentHTML|outerHTML\s*=|document\.write|srcdoc": {
        "static/js/paste.js": "a part of a page that the server rendered, and texts of its own",
    },
    r"\beval\(|new Function|setTimeout\(\s*[\"']": {},
    r"localStorage|sessionStorage|indexedDB": {
        "static/js/theme.js": "which of two colours the page has",
        "static/js/share.js": "which markup a ticket had last",
        "static/js/tour.js": "that somebody has seen the tour",
        "static/js/zone.js": "whether times are UTC or local",
    },
    r"postMessage|addEventListener\(\s*[\"']message": {},
}  # fmt: skip


def found(pattern: str, allowed: dict[str, str], *places: str) -> list[str]:
    """`file: text` of each match in a file that is not allowed to have it."""
    return [
        f"{path}: {match[0][:80]}"
        for path, text in texts(*places)
        if not str(path).startswith(tuple(allowed))
        for match in re.finditer(pattern, text)
    ]


@pytest.mark.parametrize("pattern", PYTHON)
def test_no_module_has_what_only_named_ones_may(pattern: str) -> None:
    python = [f"{place}/*.py" if "." not in place else place for place in OURS]
    assert found(pattern, PYTHON[pattern], *python) == []


@pytest.mark.parametrize("pattern", TEMPLATES)
def test_no_template_has_what_only_named_ones_may(pattern: str) -> None:
    assert found(pattern, TEMPLATES[pattern], "templates/*.html", "templates/*.txt") == []


@pytest.mark.parametrize("pattern", SCRIPTS)
def test_no_script_of_a_page_has_what_only_named_ones_may(pattern: str) -> None:
    assert found(pattern, SCRIPTS[pattern], "static/js/*.js") == []


@pytest.mark.parametrize(
    ("patterns", "places"), [(PYTHON, OURS), (TEMPLATES, ("templates",)), (SCRIPTS, ("static/js",))]
)
def test_no_exception_outlives_its_reason(
    patterns: dict[str, dict[str, str]], places: tuple[str, ...]
) -> None:
    left = [
        (path, pattern)
        for pattern, allowed in patterns.items()
        for path in allowed
        if not any(re.search(pattern, text) for name, text in texts(*places) if str(name).startswith(path))
    ]
    assert left == []


def test_no_file_hides_characters_that_turn_its_text_around() -> None:
    """Bidirectional controls show another program than the one that runs."""
    turned = re.compile("[\u202a-\u202e\u2066-\u2069]")
    assert [
        str(path) for path, text in texts("*.py", "*.js", "*.html", "*.toml") if turned.search(text)
    ] == []
