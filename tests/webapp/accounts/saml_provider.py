"""A small SAML provider: metadata, and answers to requests, signed as XML with xmlsec."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape, quoteattr

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.x509.oid import NameOID
from lxml import etree
from onelogin.saml2.utils import OneLogin_Saml2_Utils

from tests.webapp.accounts.provider import key

ENTITY, ADDRESS = "https://idp.example.org/metadata", "https://idp.example.org/sso"
PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
ASSERTION, PROTOCOL = "urn:oasis:names:tc:SAML:2.0:assertion", "urn:oasis:names:tc:SAML:2.0:protocol"


@cache
def certificate(number: int) -> tuple[str, str]:
    """Private key and certificate of one of the keys, in PEM."""
    private, name = key(number), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "idp")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, private.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now).not_valid_after(now + timedelta(days=1))
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    signed = made.sign(private, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    return pem.decode(), signed.decode()


def metadata(*, binding: str = "HTTP-Redirect", with_certificate: bool = True) -> str:
    text = "".join(certificate(1)[1].splitlines()[1:-1])
    keys = (
        f'<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>'
        f"{text}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>"
    )
    return (
        f'<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="{ENTITY}">'
        f'<IDPSSODescriptor protocolSupportEnumeration="{PROTOCOL}">{keys if with_certificate else ""}'
        f'<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:{binding}" Location="{ADDRESS}"/>'
        "</IDPSSODescriptor></EntityDescriptor>"
    )


@dataclass
class SamlProvider:
    """Who comes next, and what is wrong with what it answers."""

    name: str = "someone-7"
    name_format: str = PERSISTENT
    attributes: dict[str, list[str]] = field(default_factory=dict)
    issuer: str = ENTITY
    audience: str = "https://journals.example.org/accounts/saml/metadata/"
    recipient: str = "https://journals.example.org/accounts/saml/answer/"
    status: str = "Success"
    minutes_ago: int = 0
    signs: str = "assertion"  # or "response", or nothing
    signing_key: int = 1

    def answer(self, address: str, in_response_to: str | None = None) -> str:
        """The answer to a request that came in this address, in base64."""
        sent = parse_qs(urlsplit(address).query)["SAMLRequest"][0]
        asked = etree.fromstring(zlib.decompress(base64.b64decode(sent), -15))
        assert (
            asked.get("AssertionConsumerServiceURL") == "https://journals.example.org/accounts/saml/answer/"
        )
        request = asked.get("ID") if in_response_to is None else in_response_to
        return base64.b64encode(self._response(request).encode()).decode()

    def _response(self, request: str) -> str:
        now = _time(-self.minutes_ago)
        assertion = self._sign("assertion", self._assertion(request, now))
        replies = f"InResponseTo={quoteattr(request)} " if request else ""
        response = (
            f'<p:Response xmlns:p="{PROTOCOL}" xmlns:a="{ASSERTION}" ID="_r1" Version="2.0" IssueInstant="{now}" '
            f'{replies}Destination="{self.recipient}"><a:Issuer>{self.issuer}</a:Issuer><p:Status><p:StatusCode '
            f'Value="urn:oasis:names:tc:SAML:2.0:status:{self.status}"/></p:Status>{assertion}</p:Response>'
        )
        return self._sign("response", response)

    def _assertion(self, request: str, now: str) -> str:
        until = _time(5 - self.minutes_ago)
        replies = f"InResponseTo={quoteattr(request)} " if request else ""
        values = {
            name: "".join(f"<a:AttributeValue>{escape(value)}</a:AttributeValue>" for value in values)
            for name, values in self.attributes.items()
        }
        attributes = "".join(
            f"<a:Attribute Name={quoteattr(name)}>{value}</a:Attribute>" for name, value in values.items()
        )
        audience = f"<a:Audience>{self.audience}</a:Audience>"
        audiences = f"<a:AudienceRestriction>{audience}</a:AudienceRestriction>" if self.audience else ""
        return (
            f'<a:Assertion xmlns:a="{ASSERTION}" ID="_a1" Version="2.0" IssueInstant="{now}"><a:Issuer>{self.issuer}'
            f'</a:Issuer><a:Subject><a:NameID Format="{self.name_format}">{self.name}</a:NameID><a:SubjectConfirmation '
            f'Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><a:SubjectConfirmationData {replies}NotOnOrAfter="{until}" '
            f'Recipient="{self.recipient}"/></a:SubjectConfirmation></a:Subject><a:Conditions NotBefore="{now}" '
            f'NotOnOrAfter="{until}">{audiences}</a:Conditions><a:AuthnStatement AuthnInstant="{now}" SessionIndex="_s1">'
            "<a:AuthnContext><a:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password"
            f"</a:AuthnContextClassRef></a:AuthnContext></a:AuthnStatement><a:AttributeStatement>{attributes}"
            "</a:AttributeStatement></a:Assertion>"
        )

    def _sign(self, part: str, xml: str) -> str:
        if part not in self.signs:
            return xml
        signed: Any = OneLogin_Saml2_Utils.add_sign(xml, *certificate(self.signing_key))
        return str(signed.decode() if isinstance(signed, bytes) else signed)


def _time(minutes: int) -> str:
    return (datetime.now(UTC) + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")
