"""Where a cluster is and how to convince it: protocol of its ports, certificates, who we are. Secrets stay out of `repr`."""

from __future__ import annotations

from dataclasses import dataclass, field

from workers.net.address import host_and_port

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")


@dataclass(frozen=True)
class Security:
    """`*_pem` is the text of a PEM file. OAUTHBEARER takes a `token`, or asks `token_url` with client id and secret."""

    protocol: str = "PLAINTEXT"
    ca_pem: str | None = None
    certificate_pem: str | None = None
    key_pem: str | None = field(default=None, repr=False)
    key_password: str | None = field(default=None, repr=False)
    check_host_name: bool = True
    mechanism: str | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    token_url: str | None = None
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    scope: str | None = None

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise ValueError(
                f"{self.protocol} is not a security protocol. Use one of {', '.join(PROTOCOLS)}."
            )
        if self.is_signed_in and self.mechanism not in MECHANISMS:
            raise ValueError(
                f"{self.mechanism} is not a supported SASL mechanism. Use one of {', '.join(MECHANISMS)}."
            )

    @property
    def is_encrypted(self) -> bool:
        return self.protocol.endswith("SSL")

    @property
    def is_signed_in(self) -> bool:
        return self.protocol.startswith("SASL")


@dataclass(frozen=True)
class Address:
    """`bootstrap`: ("host:9092", "[::1]:9093"). Raises ValueError for one that is no host and port."""

    bootstrap: tuple[str, ...]
    security: Security = field(default_factory=Security)

    def __post_init__(self) -> None:
        if not self.bootstrap:
            raise ValueError("No bootstrap server was given. Enter one, such as broker-1.example.org:9092.")
        for text in self.bootstrap:
            host_and_port(text)
