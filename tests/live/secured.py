"""A broker with a door for each way to sign in, and rights that somebody has and somebody has not.

Its plain listener belongs to the super user; everybody else needs an ACL for what they do.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.live.brokers import Broker, is_kraft
from tests.live.certificates import Authority, Identity

USER, PASSWORD = "support", "a live pass phrase"
STRANGER = "stranger"  # signs in and may do nothing
LISTENERS = {
    "TLS": "SSL",
    "MUTUAL": "SSL",  # wants a client certificate
    "ELSEWHERE": "SSL",  # shows the certificate of another host
    "SCRAM": "SASL_SSL",
    "PASSWORD": "SASL_PLAINTEXT",
}
TOKEN_SUBJECT = "support"
MODULES = {
    "PLAIN": f'org.apache.kafka.common.security.plain.PlainLoginModule required user_{USER}="{PASSWORD}" user_{STRANGER}="{PASSWORD}";',
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule required;",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule required;",
    "OAUTHBEARER": f'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="{TOKEN_SUBJECT}";',
}
MECHANISMS = {
    "SCRAM": ("SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"),
    "PASSWORD": ("PLAIN", "SCRAM-SHA-256"),
}


@dataclass(frozen=True)
class Doors:
    """The broker's certificates and one for a client."""

    authority: Authority
    client: Identity

    @classmethod
    def made(cls) -> Doors:
        """New ones."""
        authority = Authority()
        return cls(authority, authority.sign("live client"))

    def broker(self, version: str, folder: Path) -> Broker:
        """A broker behind these doors, not started yet."""
        here, elsewhere = (
            self.authority.sign("broker", *hosts)
            for hosts in (("127.0.0.1", "localhost"), ("elsewhere.example",))
        )
        settings: dict[str, object] = {}
        for name, protocol in LISTENERS.items():
            if "SSL" in protocol:
                server = elsewhere if name == "ELSEWHERE" else here
                wanted = "required" if name == "MUTUAL" else "none"
                settings |= self.authority.settings(name, server, wanted)
        for name, mechanisms in MECHANISMS.items():
            prefix = f"listener.name.{name.lower()}"
            settings[f"{prefix}.sasl.enabled.mechanisms"] = ",".join(mechanisms)
            for mechanism in mechanisms:
                settings[f"{prefix}.{mechanism.lower()}.sasl.jaas.config"] = MODULES[mechanism]
        settings["authorizer.class.name"] = (
            "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
            if is_kraft(version)
            else "kafka.security.authorizer.AclAuthorizer"
        )
        settings["super.users"] = "User:ANONYMOUS"
        return Broker(version, folder, listeners=LISTENERS, **settings)
