"""Somebody who runs the site, a project that the cast is not in, and a provider to sign in through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.webapp.accounts.provider import CLIENT, SECRET, Provider, serve
from webapp.accounts.models import Project


@pytest.fixture
def superuser(db: None) -> Any:
    """Runs the site."""
    from django.contrib.auth.models import User

    return User.objects.create_superuser("superuser", "superuser@example.org", "a long pass phrase")


@pytest.fixture
def elsewhere(db: None) -> Project:
    """Nobody of the cast is in it."""
    return Project.objects.create(slug="elsewhere", name="Elsewhere")


@pytest.fixture
def provider(db: None, settings: Any) -> Iterator[Provider]:
    provider = Provider()
    server = serve(provider)
    settings.OIDC_SERVER_URL, settings.OIDC_NAME = provider.url, "Acme login"
    app = {"provider_id": "sso", "name": "Acme login", "client_id": CLIENT, "secret": SECRET}
    app["settings"] = {"server_url": provider.url}
    ours = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"] | {"APPS": [app]}
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": ours}
    yield provider
    server.shutdown()
    server.server_close()
