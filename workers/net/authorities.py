"""Whose certificates count: authorities that were given as PEM, or the system's."""

from __future__ import annotations

import re
import ssl

from webapp.networks.errors import NotTrusted

CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
WANT_PEM = "Paste the text of a PEM file, with its BEGIN and END lines."


def trusting(ca_pem: str | None) -> ssl.SSLContext:
    """A context that trusts these authorities, or those of the system where none are given. Raises NotTrusted."""
    if not ca_pem:
        return ssl.create_default_context()
    # Words beside the certificates are usual in bundles, and OpenSSL takes none beyond ASCII.
    certificates = CERTIFICATE.findall(ca_pem)
    try:
        if certificates:
            return ssl.create_default_context(cadata="\n".join(certificates))
    except (ssl.SSLError, ValueError, TypeError):
        pass
    raise NotTrusted("The certificate authority is not a PEM certificate.", WANT_PEM)
