"""Reading the upload protocol's request headers; what cannot be read is refused with a sentence."""

from __future__ import annotations

import base64
import binascii

from django.http import HttpRequest

from webapp.rejected import Rejected

CHECKSUMS = ("sha1", "sha256", "md5")
OVERRIDING = ("PATCH", "DELETE")


def method_of(request: HttpRequest) -> str:
    """X-HTTP-Method-Override may turn a POST into PATCH or DELETE only: POST has passed the CSRF check."""
    meant = request.headers.get("X-HTTP-Method-Override", "").upper()
    return meant if request.method == "POST" and meant in OVERRIDING else str(request.method)


def number(request: HttpRequest, header: str) -> int:
    """A non-negative integer header. Raises Rejected."""
    text = request.headers.get(header, "")
    if not (text.isascii() and text.isdecimal()) or len(text) > 18:
        raise Rejected(f"{header} has to be a whole number of bytes, not {text or 'nothing'}.")
    return int(text)


def checksum(request: HttpRequest) -> tuple[str, bytes] | None:
    """Algorithm and digest of Upload-Checksum."""
    text = request.headers.get("Upload-Checksum")
    if text is None:
        return None
    algorithm, _, encoded = text.partition(" ")
    if algorithm not in CHECKSUMS:
        raise Rejected(f"Checksums can be {', '.join(CHECKSUMS)}, not {algorithm}.")
    return algorithm, _decoded(encoded, "Upload-Checksum")


def metadata(request: HttpRequest) -> dict[str, str]:
    """`key base64,key base64`: values are UTF-8."""
    text = request.headers.get("Upload-Metadata", "")
    pairs = [pair.strip().partition(" ") for pair in text.split(",") if pair.strip()]
    return {key: _decoded(value, "Upload-Metadata").decode("utf-8", "replace") for key, _, value in pairs}


def _decoded(encoded: str, header: str) -> bytes:
    try:
        return base64.b64decode(encoded.strip(), validate=True)
    except binascii.Error:
        raise Rejected(f"{header} is not valid base64.") from None
