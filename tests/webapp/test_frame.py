"""What surrounds every page: headers, theme, error pages, colours, addresses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, RequestFactory

from webapp.proxies import TrustedProxies

ROOT = Path(__file__).parents[2]
CSS = (ROOT / "static" / "css" / "journalscope.css").read_text()


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere(db: None, client: Client) -> None:
    response = client.get("/accounts/login/")
    policy = dict(part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["object-src"] == policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in response["Content-Security-Policy"]
    assert response["X-Frame-Options"] == "DENY"


def test_templates_keep_to_the_policy() -> None:
    # a file of its own, opened offline
    of_bundles = ROOT / "templates" / "sharing" / "evidence" / "report.html"
    for file in set((ROOT / "templates").rglob("*.html")) - {of_bundles}:
        text = file.read_text()
        assert not re.search(r'\sstyle="|<style|\son[a-z]+="|javascript:', text), file
        assert not re.search(r"<script(?![^>]*\ssrc=)(?![^>]*application/json)", text), file
        assert not re.search(r'(src|href)="https?://', text), file


def test_vendored_files_name_no_source_maps() -> None:
    for file in (ROOT / "static").rglob("*.*s"):
        assert "sourceMappingURL" not in file.read_text(errors="replace"), file


@pytest.mark.parametrize(
    ("cookie", "shown"), [("dark", "dark"), ("light", "light"), ('"><script>', None), (None, None)]
)
def test_the_server_knows_the_theme_from_the_cookie(
    db: None, client: Client, cookie: Any, shown: Any
) -> None:
    if cookie:
        client.cookies["theme"] = cookie
    found = re.search(
        r'<html lang="en"(?: data-bs-theme="(\w+)")?>', client.get("/accounts/login/").content.decode()
    )
    assert found
    assert found[1] == shown


def test_error_pages_say_what_to_do(viewer: Any, sign_in: Any) -> None:
    missing = sign_in(viewer).get("/nothing/here/")
    assert missing.status_code == 404
    assert "Check the link" in missing.content.decode()
    stale = Client(enforce_csrf_checks=True).post("/accounts/login/", {})
    assert stale.status_code == 403
    assert "Go back, reload the page" in stale.content.decode()


def test_a_crash_has_a_page_of_its_own(viewer: Any, sign_in: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("webapp.catalogue.views.groups", lambda *_: 1 / 0)
    client = sign_in(viewer)
    client.raise_request_exception = False
    response = client.get("/catalogue/")
    assert response.status_code == 500
    assert "Server error" in response.content.decode()


def test_an_unknown_host_is_refused(db: None, client: Client) -> None:
    assert client.get("/accounts/login/", HTTP_HOST="evil.example").status_code == 400


def test_health_names_what_does_not_answer(db: None, client: Client, settings: Any) -> None:
    assert client.get("/healthz").json() == {"database": True, "broker": True}
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    from webapp.jobs import progress

    progress.connection.cache_clear()
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (503, {"database": True, "broker": False})


class TestProxies:
    """Forwarded headers, from whom they may come."""

    def seen(self, settings: Any, remote: str, **headers: str) -> dict[str, Any]:
        settings.TRUSTED_PROXIES = ["10.0.0.0/8", "::1"]
        request = RequestFactory().get("/", REMOTE_ADDR=remote, **headers)
        TrustedProxies(lambda request: request.META)  # the names are checked at the start
        return TrustedProxies(lambda request: request.META)(request)  # type: ignore[arg-type,return-value]

    def test_a_trusted_one_tells_the_visitors_address(self, settings: Any) -> None:
        meta = self.seen(settings, "10.0.0.1", HTTP_X_FORWARDED_FOR="1.2.3.4", HTTP_X_FORWARDED_PROTO="https")
        assert (meta["REMOTE_ADDR"], meta["HTTP_X_FORWARDED_PROTO"]) == ("1.2.3.4", "https")

    def test_of_a_chain_the_last_untrusted_address_counts(self, settings: Any) -> None:
        chain = "6.6.6.6, 1.2.3.4, 10.0.0.7"
        assert self.seen(settings, "10.0.0.1", HTTP_X_FORWARDED_FOR=chain)["REMOTE_ADDR"] == "1.2.3.4"

    def test_a_stranger_claims_nothing(self, settings: Any) -> None:
        meta = self.seen(settings, "9.9.9.9", HTTP_X_FORWARDED_FOR="1.2.3.4", HTTP_X_FORWARDED_PROTO="https")
        assert meta["REMOTE_ADDR"] == "9.9.9.9"
        assert "HTTP_X_FORWARDED_PROTO" not in meta

    @pytest.mark.parametrize("chain", ["", "nonsense", "10.0.0.2"])
    def test_an_unusable_chain_leaves_the_proxys_address(self, settings: Any, chain: str) -> None:
        assert self.seen(settings, "10.0.0.1", HTTP_X_FORWARDED_FOR=chain)["REMOTE_ADDR"] == "10.0.0.1"


class TestColours:
    """Severities can be read on every surface they stand on, in both themes."""

    CARDS = {"light": "#ffffff", "dark": "#262626"}

    @pytest.mark.parametrize("theme", ["light", "dark"])
    @pytest.mark.parametrize("level", ["critical", "high", "medium", "low", "info", "healthy"])
    def test_contrast_is_at_least_four_and_a_half(self, theme: str, level: str) -> None:
        block = CSS.split(f'[data-bs-theme="{theme}"] {{')[1].split("}")[0]
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
        for surface in (self.CARDS[theme], colours[f"surface-{level}"]):
            assert _contrast(colours[f"severity-{level}"], surface) >= 4.5
        assert _contrast(colours["quiet"], self.CARDS[theme]) >= 4.5


def _contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
