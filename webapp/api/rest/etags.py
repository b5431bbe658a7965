"""ETags: 304 for who has it already, 412 for who would change something else than they read."""

from __future__ import annotations

import hashlib

from django.utils.http import parse_etags, quote_etag
from rest_framework.request import Request

from webapp.api.rest.errors import ApiError, NotModified

VERSION = 1  # of what answers look like; part of every ETag
CHANGED = "Another user changed it after you read it. Nothing was changed."


def etag_of(*parts: object) -> str:
    """A strong ETag."""
    text = "\0".join(map(str, (VERSION, *parts)))
    return quote_etag(hashlib.sha256(text.encode()).hexdigest()[:32])


def require_newer(request: Request, etag: str) -> None:
    """Raise NotModified (304) if the client has this version."""
    etags = parse_etags(request.headers.get("If-None-Match", ""))
    if etag in etags or "*" in etags:
        raise NotModified(etag)


def require_match(request: Request, etag: str) -> None:
    """Raise ApiError (412) if If-Match names another version; without If-Match nothing is checked."""
    expected = request.headers.get("If-Match")
    if expected is not None and expected.strip() != "*" and etag not in parse_etags(expected):
        raise ApiError(CHANGED, status=412)
