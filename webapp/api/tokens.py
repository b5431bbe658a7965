"""Making, finding, using and revoking tokens.

jst_<43 characters of base64url>    256 random bits; the prefix is for scanners that look for leaked secrets
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from webapp.accounts.models import ROLES, Project
from webapp.accounts.roles import limit
from webapp.accounts.sealing import token_hash
from webapp.api.models import Token
from webapp.audit.log import record

PREFIX = "jst_"
TOKEN_BYTES = 32
MAX_DAYS = 365
NOTED_EVERY = timedelta(minutes=1)
# the role that a scope can make use of; a token has no higher one than its scopes need
ROLE_OF_SCOPE = {
    "read": "viewer",
    "upload": "support",
    "inspect": "support",
    "share": "support",
    "review": "reviewer",
    "admin": "admin",
}


@transaction.atomic
def create_token(
    user: Any,
    name: str,
    scopes: Sequence[str],
    expires_at: datetime,
    project: Project | None = None,
) -> tuple[Token, str]:
    """A new token and its text, which stands nowhere else and cannot be shown again."""
    text = PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    token = Token.objects.create(
        user=user,
        name=name,
        scopes=[scope for scope in ROLE_OF_SCOPE if scope in scopes],
        project=project,
        token_sha256=token_hash(text),
        last_four=text[-4:],
        expires_at=expires_at,
    )
    record(
        "token.created",
        actor=user,
        project_id=project.pk if project else None,
        target=token,
        scopes=token.scopes,
        expires_at=expires_at.isoformat(),
    )
    return token, text


def find(text: str) -> Token | None:
    """The token of this text, usable or not."""
    if not text.startswith(PREFIX):
        return None
    return Token.objects.filter(token_sha256=token_hash(text)).select_related("user").first()


def why_refused(token: Token | None) -> str:
    """Why it opens nothing, as a sentence; empty when it does."""
    if token is None:
        return "This token is unknown. Copy it again, or make a new one on the page Tokens."
    if token.revoked_at:
        return f"This token was revoked on {token.revoked_at:%Y-%m-%d}. Make a new one on the page Tokens."
    if not token.is_usable:
        return f"This token expired on {token.expires_at:%Y-%m-%d}. Make a new one on the page Tokens."
    return "" if token.user.is_active else "The account of this token is not active. Ask an admin."


def acting(token: Token) -> Any:
    """The token's user with what the token leaves of their present roles; written down at most once a minute."""
    now = timezone.now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - NOTED_EVERY)
    if token.last_used_at is None or token.last_used_at < now - NOTED_EVERY:
        Token.objects.filter(stale, pk=token.pk).update(last_used_at=now)
    role = max((ROLE_OF_SCOPE[scope] for scope in token.scopes), key=ROLES.index, default="viewer")
    limit(token.user, role, token.project_id)
    return token.user


@transaction.atomic
def revoke(token: Token, user: Any) -> None:
    """From now on it opens nothing."""
    if Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record("token.revoked", actor=user, project_id=token.project_id, target=token)
