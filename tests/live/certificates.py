"""A certificate authority of our own, what it signs, and how a broker is told of it (PEM, Kafka 2.7 and newer)."""

from __future__ import annotations

import datetime
import ipaddress
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

LIFE = datetime.timedelta(days=2)


@dataclass(frozen=True)
class Identity:
    """A certificate and its key, both PEM."""

    certificate_pem: str
    key_pem: str


class Authority:
    """Signs for servers and clients."""

    def __init__(self, name: str = "Live test authority") -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = _name(name)
        builder = _certificate(self.name, self.name, self.key)
        ours = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        self.pem = _pem(ours.sign(self.key, hashes.SHA256()))

    def sign(self, common_name: str, *hosts: str) -> Identity:
        """Good for these names and addresses, or for a client when there are none."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _certificate(_name(common_name), self.name, key)
        if hosts:
            builder = builder.add_extension(x509.SubjectAlternativeName(map(_host, hosts)), critical=False)
        certificate = builder.sign(self.key, hashes.SHA256())
        secret = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return Identity(_pem(certificate), secret.decode())

    def settings(self, listener: str, server: Identity, client_auth: str) -> dict[str, object]:
        """Settings of one listener of a broker; `client_auth` is none, requested or required."""
        prefix = f"listener.name.{listener.lower()}.ssl"
        return {
            f"{prefix}.keystore.type": "PEM",
            f"{prefix}.keystore.certificate.chain": _one_line(server.certificate_pem),
            f"{prefix}.keystore.key": _one_line(server.key_pem),
            f"{prefix}.truststore.type": "PEM",
            f"{prefix}.truststore.certificates": _one_line(self.pem),
            f"{prefix}.client.auth": client_auth,
        }


def _one_line(pem: str) -> str:
    return pem.replace("\n", "\\n")


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - LIFE)
        .not_valid_after(now + LIFE)
    )


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()
