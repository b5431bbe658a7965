"""Settings of signing in through an OpenID or SAML provider, all of them from the environment; docs/accounts.md has the table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from webapp import environment
from webapp.accounts.provider import mapping, saml_metadata

OIDC_SERVER_URL = os.environ.get("OIDC_SERVER_URL", "").rstrip("/")
OIDC_NAME = os.environ.get("OIDC_NAME") or "single sign-on"
OIDC_PROJECT = os.environ.get("OIDC_PROJECT", "")
_roles = ("viewer", "support", "reviewer", "admin")
OIDC_ROLE = environment.choice("OIDC_ROLE", "viewer", set(_roles))
OIDC_GROUPS_CLAIM = os.environ.get("OIDC_GROUPS_CLAIM", "").strip() or "groups"
GROUP_ROLES = mapping.read("GROUP_ROLES", _roles)
REQUIRE_GROUP = environment.flag("REQUIRE_GROUP")
if REQUIRE_GROUP and not GROUP_ROLES:
    raise ImproperlyConfigured(
        "REQUIRE_GROUP is set and GROUP_ROLES is not: nobody could sign in. Set both or none."
    )
SOCIALACCOUNT_ADAPTER = "webapp.accounts.provider.oidc.ProviderAccountAdapter"
SOCIALACCOUNT_LOGIN_ON_GET = True  # a form that leads elsewhere is what the content security policy forbids
# verified ones only
SOCIALACCOUNT_EMAIL_AUTHENTICATION = SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
SOCIALACCOUNT_EMAIL_REQUIRED = False
SOCIALACCOUNT_PROVIDERS: dict[str, dict[str, Any]] = {
    "openid_connect": {
        "provider_class": "webapp.accounts.provider.oidc.CheckedProvider",
        "OAUTH_PKCE_ENABLED": True,
    }
}
if OIDC_SERVER_URL:
    if not os.environ.get("OIDC_CLIENT_ID"):
        raise ImproperlyConfigured(
            "OIDC_SERVER_URL is set and OIDC_CLIENT_ID is not. Set it to the client id that the provider gave to this site."
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

SAML_METADATA_FILE = os.environ.get("SAML_METADATA_FILE", "").strip()
SAML_NAME = os.environ.get("SAML_NAME") or "single sign-on"
SAML_USER_ATTRIBUTE = os.environ.get("SAML_USER_ATTRIBUTE", "").strip()
SAML_GROUPS_ATTRIBUTE = os.environ.get("SAML_GROUPS_ATTRIBUTE", "").strip() or "groups"
SAML_IDENTITY_PROVIDER: dict[str, Any] = {}
PROVIDER_APPS = ["allauth.socialaccount.providers.openid_connect"]
if SAML_METADATA_FILE:
    if not os.environ.get("PUBLIC_URL"):
        raise ImproperlyConfigured(
            "SAML_METADATA_FILE is set and PUBLIC_URL is not. Set it to the address of this site, by which the provider knows it."
        )
    SAML_IDENTITY_PROVIDER = saml_metadata.read("SAML_METADATA_FILE", Path(SAML_METADATA_FILE))
    PROVIDER_APPS.append("allauth.socialaccount.providers.saml")
    SOCIALACCOUNT_PROVIDERS["saml"] = {
        "provider_class": "webapp.accounts.provider.saml.SignInProvider",
        "APPS": [
            {
                "name": SAML_NAME,
                "client_id": "sso",
                "settings": {
                    "attribute_mapping": saml_metadata.attributes(
                        user=SAML_USER_ATTRIBUTE,
                        email=os.environ.get("SAML_EMAIL_ATTRIBUTE", "").strip(),
                    ),
                    "verified_email": environment.flag("SAML_EMAIL_IS_VERIFIED"),
                },
            }
        ],
    }
