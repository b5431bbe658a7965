"""What every page's frame needs to know: the theme and what this user may do."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from spark.terms.installation import COMMAND_NAME
from webapp.accounts.roles import has_role
from webapp.review.counts import waiting_for

THEMES = {"light", "dark"}


def page(request: HttpRequest) -> dict[str, Any]:
    """Context of all templates."""
    theme = request.COOKIES.get("theme")
    user = getattr(request, "user", None)
    return {
        "program": COMMAND_NAME,
        "theme": theme if theme in THEMES else "",
        "is_viewer": has_role(user, "viewer"),
        "is_support": has_role(user, "support"),
        "is_reviewer": has_role(user, "reviewer"),
        "is_admin": has_role(user, "admin"),
        "oidc_name": settings.OIDC_NAME if settings.OIDC_SERVER_URL else "",
        "saml_name": settings.SAML_NAME if settings.SAML_METADATA_FILE else "",
        "review_count": lambda: waiting_for(user),  # asked only where the header is drawn
    }
