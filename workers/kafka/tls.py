"""TLS to a broker: our own certificate authorities, a client certificate, and each failure in words.

Keys are handed to OpenSSL through memory files: it reads paths only, and a key must not reach a disk.
"""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

from workers.kafka.errors import Closed, NotTrusted, Unreachable
from workers.kafka.security import Security
from workers.net.authorities import WANT_PEM, trusting

# Verification results of OpenSSL (X509_V_ERR_*), by what they mean to a person.
EXPIRED, NOT_YET_VALID = 10, 9
UNKNOWN_ISSUERS = (2, 18, 19, 20, 21)
WRONG_NAMES = (62, 64)
ASKS_FOR_CERTIFICATE = (
    "CERTIFICATE_REQUIRED",
    "HANDSHAKE_FAILURE",
    "BAD_CERTIFICATE",
    "CERTIFICATE_UNKNOWN",
    "UNKNOWN_CA",
    # What is left of the alert of a 2.8 broker: TLS 1.3 wants it encrypted with the new keys, and it is not.
    "DECRYPTION_FAILED_OR_BAD_RECORD_MAC",
)


def secured(connection: socket.socket, host: str, broker: str, security: Security) -> ssl.SSLSocket:
    """The connection, encrypted, the other side's certificate checked. Raises NotTrusted, Closed, Unreachable."""
    context = context_of(security)
    try:
        return context.wrap_socket(connection, server_hostname=host)
    except TimeoutError:
        raise Unreachable(
            f"{broker} did not answer the TLS handshake in time.",
            "Choose a protocol without SSL if this port expects no TLS.",
        ) from None
    except ssl.SSLError as wrong:
        raise translated(wrong, broker) from None
    except OSError:
        raise _speaks_no_tls(broker) from None


def context_of(security: Security) -> ssl.SSLContext:
    """Raises NotTrusted for certificates and keys that cannot be used."""
    context = trusting(security.ca_pem)
    context.check_hostname = security.check_host_name
    if security.certificate_pem:
        _present(context, security)
    return context


def translated(wrong: ssl.SSLError, broker: str) -> NotTrusted | Closed:
    if isinstance(wrong, ssl.SSLCertVerificationError):
        return _distrusted(wrong, broker)
    reason = wrong.reason or ""
    if isinstance(wrong, ssl.SSLEOFError | ssl.SSLZeroReturnError) or "EOF" in reason:
        return _speaks_no_tls(broker)
    if "WRONG_VERSION_NUMBER" in reason or "RECORD_LAYER_FAILURE" in reason:
        return NotTrusted(
            f"{broker} speaks no TLS.",
            "Choose a protocol without SSL, or enter the port of the TLS listener.",
        )
    if any(alert in reason for alert in ASKS_FOR_CERTIFICATE):
        return NotTrusted(
            f"{broker} ended the TLS handshake ({_words(reason)}): it requires a client certificate that it trusts.",
            "Add a client certificate with its key, signed by an authority in the broker's truststore.",
        )
    if "PROTOCOL" in reason or "CIPHER" in reason:
        return NotTrusted(
            f"{broker} and Journalscope have no TLS version or cipher in common ({_words(reason)}).",
            "Have the broker offer TLS 1.2 or newer.",
        )
    return NotTrusted(f"TLS with {broker} failed ({_words(reason)}).", "See the broker's log.")


def _distrusted(wrong: ssl.SSLCertVerificationError, broker: str) -> NotTrusted:
    code = wrong.verify_code
    if code in UNKNOWN_ISSUERS:
        return NotTrusted(
            f"The certificate of {broker} is self-signed or signed by an unknown authority.",
            "Add the PEM of the authority that signed it (root and intermediate certificates).",
        )
    if code == EXPIRED:
        return NotTrusted(f"The certificate of {broker} has expired.", "Have it renewed on the broker.")
    if code == NOT_YET_VALID:
        return NotTrusted(
            f"The certificate of {broker} is not valid yet.",
            "Check the clocks of the broker and of this machine.",
        )
    if code in WRONG_NAMES:
        return NotTrusted(
            f"The certificate of {broker} is for another name ({wrong.verify_message.rstrip('.')}).",
            "Enter the name in the certificate, or switch off the host name check.",
        )
    return NotTrusted(
        f"The certificate of {broker} is not valid: {wrong.verify_message}.", "Have the certificate replaced."
    )


def _speaks_no_tls(broker: str) -> Closed:
    return Closed(
        f"{broker} closed the connection in the TLS handshake.",
        "If this port does not use TLS, select a protocol without SSL. If it does, check the broker's log.",
    )


def _present(context: ssl.SSLContext, security: Security) -> None:
    """Have the context show our certificate. Without a pass phrase OpenSSL would ask the terminal for one."""
    if not security.key_pem:
        raise NotTrusted("The client certificate has no key.", "Add the private key of the certificate.")
    both = f"{security.certificate_pem}\n{security.key_pem}\n".encode()
    try:
        with _memory_file(both) as path:
            context.load_cert_chain(path, password=security.key_password or "")
    except ssl.SSLError as wrong:
        raise NotTrusted(*_unusable(wrong.reason or "", security)) from None
    except (OSError, ValueError):
        raise NotTrusted("The client certificate or its key cannot be read.", WANT_PEM) from None


def _unusable(reason: str, security: Security) -> tuple[str, str]:
    """Cause and cure. OpenSSL gives no reason when a pass phrase does not open the key."""
    if "MISMATCH" in reason:
        return (
            "The client certificate and the key do not belong together.",
            "Enter the key of this certificate.",
        )
    if "ENCRYPTED" in (security.key_pem or ""):
        cause = (
            "The pass phrase of the key is wrong."
            if security.key_password
            else "The key requires a pass phrase."
        )
        return cause, "Enter the pass phrase of the client key."
    return f"The client certificate or its key cannot be read ({_words(reason)}).", WANT_PEM


@contextmanager
def _memory_file(content: bytes) -> Iterator[str]:
    """Path of a temporary file, deleted at the end."""
    number = os.memfd_create("certificate")
    try:
        os.write(number, content)
        yield f"/proc/self/fd/{number}"
    finally:
        os.close(number)


def _words(reason: str) -> str:
    return reason.lower().replace("_", " ") or "no reason given"
