"""The metadata file of a SAML provider, read at the start: SAML_METADATA_FILE."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured


def read(name: str, path: Path) -> dict[str, Any]:
    """Entity id, certificates and address of the provider. Raises ImproperlyConfigured."""
    if find_spec("onelogin") is None:
        raise ImproperlyConfigured(
            f"{name} is set, but the packages for SAML are missing: pip install 'journalscope[saml]'."
        )
    from onelogin.saml2.constants import OneLogin_Saml2_Constants as Saml
    from onelogin.saml2.idp_metadata_parser import OneLogin_Saml2_IdPMetadataParser as Metadata

    try:
        parsed = Metadata.parse(path.read_bytes(), required_sso_binding=Saml.BINDING_HTTP_REDIRECT)
    except (
        Exception
    ) as problem:  # of the parser, of python3-saml, of the disk: in all cases it is not such a file
        raise ImproperlyConfigured(
            f"{name}={path} cannot be read as metadata of a SAML provider: {problem}. Set it to the file that the provider offers as its metadata."
        ) from problem
    provider: dict[str, Any] = parsed.get("idp", {})
    needed = {
        "an entity id": provider.get("entityId"),
        "an address for sign-ins by HTTP-Redirect": provider.get("singleSignOnService"),
        "a certificate for signatures": provider.get("x509cert") or provider.get("x509certMulti"),
    }
    if lacks := [words for words, value in needed.items() if not value]:
        raise ImproperlyConfigured(
            f"{name}={path} lacks {' and '.join(lacks)}. Download the metadata of the provider again."
        )
    return provider


def attributes(user: str, email: str) -> dict[str, list[str]]:
    """What is read of an assertion -> names of attributes for it, by schema (X.500, WS-Federation) or as people name them."""
    claims = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims"
    subject = [f"urn:oasis:names:tc:SAML:attribute:{kind}-id" for kind in ("subject", "pairwise")]
    return {
        "uid": [user] if user else subject,
        "email": [email]
        if email
        else ["urn:oid:0.9.2342.19200300.100.1.3", f"{claims}/emailaddress", "email", "mail"],
        "first_name": ["urn:oid:2.5.4.42", f"{claims}/givenname", "givenName", "firstName"],
        "last_name": ["urn:oid:2.5.4.4", f"{claims}/surname", "sn", "surname", "lastName"],
        "username": ["urn:oid:0.9.2342.19200300.100.1.1", "uid", "username"],
    }
