"""Settings of signing in through an OpenID provider, all of them from the environment; docs/accounts.md has the table."""

from __future__ import annotations

import os

from django.core.exceptions import ImproperlyConfigured

from webapp import environment
from webapp.accounts.provider import mapping

OIDC_SERVER_URL = os.environ.get("OIDC_SERVER_URL", "").rstrip("/")
OIDC_NAME = os.environ.get("OIDC_NAME") or "single sign-on"
OIDC_PROJECT = os.environ.get("OIDC_PROJECT", "")
_roles = ("viewer", "support", "reviewer", "admin")
OIDC_ROLE = environment.choice("OIDC_ROLE", "viewer", set(_roles))
OIDC_GROUPS_CLAIM = os.environ.get("OIDC_GROUPS_CLAIM", "").strip() or "groups"
OIDC_GROUP_ROLES = mapping.read("OIDC_GROUP_ROLES", _roles)
OIDC_REQUIRE_GROUP = environment.flag("OIDC_REQUIRE_GROUP")
if OIDC_REQUIRE_GROUP and not OIDC_GROUP_ROLES:
    raise ImproperlyConfigured(
        "OIDC_REQUIRE_GROUP is set and OIDC_GROUP_ROLES is not: nobody could sign in. Set both or none."
    )
SOCIALACCOUNT_ADAPTER = "webapp.accounts.provider.oidc.OidcAccountAdapter"
SOCIALACCOUNT_LOGIN_ON_GET = True  # a form that leads elsewhere is what the content security policy forbids
# verified ones only
SOCIALACCOUNT_EMAIL_AUTHENTICATION = SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
SOCIALACCOUNT_EMAIL_REQUIRED = False
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "provider_class": "webapp.accounts.provider.oidc.CheckedProvider",
        "OAUTH_PKCE_ENABLED": True,
    }
}
if OIDC_SERVER_URL:
    if not os.environ.get("OIDC_CLIENT_ID"):
        raise ImproperlyConfigured(
            "OIDC_SERVER_URL is set and OIDC_CLIENT_ID is not; the provider gives both."
        )
    SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"] = [
        {
            "provider_id": "sso",
            "name": OIDC_NAME,
            "client_id": os.environ["OIDC_CLIENT_ID"],
            "secret": os.environ.get("OIDC_CLIENT_SECRET", ""),
            "settings": {"server_url": OIDC_SERVER_URL},
        }
    ]
