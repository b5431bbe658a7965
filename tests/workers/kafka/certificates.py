"""Certificates for the loopback, good ones and bad ones."""

from __future__ import annotations

import datetime
import ipaddress
import uuid
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Pair:
    """A certificate and its key, both PEM."""

    certificate_pem: str
    key_pem: str


def self_signed(
    address: str = "127.0.0.1", *, from_days: int = -2, to_days: int = 2, password: str = ""
) -> Pair:
    """Valid for this address from and to so many days from now; its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, str(uuid.uuid4()))])
    now = datetime.datetime.now(datetime.UTC)
    alternative = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + from_days * DAY)
        .not_valid_after(now + to_days * DAY)
        .add_extension(alternative, critical=False)
        .sign(key, hashes.SHA256())
    )
    cipher = (
        serialization.BestAvailableEncryption(password.encode()) if password else serialization.NoEncryption()
    )
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, cipher)
    return Pair(certificate.public_bytes(serialization.Encoding.PEM).decode(), secret.decode())
