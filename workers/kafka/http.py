"""HTTP beside a cluster (token servers, schema registries): to checked addresses only, bounded, without redirects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import urllib3

from workers.kafka import tls
from workers.kafka.address import written
from workers.kafka.allowed import Networks
from workers.kafka.errors import KafkaError, NotTrusted, Unreachable

LARGEST_ANSWER_BYTES = 32 * 1024**2
USUAL_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Page:
    """What the server answered."""

    status: int
    body: bytes


def ask(
    method: str,
    url: str,
    networks: Networks,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    ca_pem: str | None = None,
    timeout_seconds: float = 10.0,
    at_most_bytes: int = LARGEST_ANSWER_BYTES,
) -> Page:
    """One request, whatever its status; `ca_pem` counts beside the system's authorities. Raises Unreachable, Refused, NotTrusted; none of them names what was sent."""
    parts = urlsplit(url)
    try:
        host, port = parts.hostname or "", parts.port or USUAL_PORTS[parts.scheme]
    except (ValueError, KeyError):
        host, port = "", 0
    if not host or parts.username is not None:
        raise Unreachable(
            "That is no address of the form https://host/path.", "Enter one, without a user name in it."
        )
    place = written(host, port)
    path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    sent = {"User-Agent": "Journalscope", "Host": host if port == USUAL_PORTS[parts.scheme] else place}
    sent |= headers or {}
    addresses = networks.resolve(host, port)
    for address in addresses:
        pool = _pool(parts.scheme, host, address, port, ca_pem, timeout_seconds)
        try:
            answer = pool.urlopen(
                method, path, body=body, headers=sent, redirect=False, preload_content=False
            )
            page = Page(int(answer.status), answer.read(at_most_bytes + 1))
            answer.close()
            break
        except urllib3.exceptions.NewConnectionError:
            if address == addresses[-1]:
                raise Unreachable(f"{place} cannot be reached.", "Check host and port.") from None
        except urllib3.exceptions.HTTPError as wrong:
            raise _failed(wrong, place, timeout_seconds) from None
        finally:
            pool.close()
    if len(page.body) > at_most_bytes:
        raise KafkaError(f"{place} answered more than {at_most_bytes} bytes.", "Check the address.")
    return page


def _failed(wrong: urllib3.exceptions.HTTPError, place: str, timeout_seconds: float) -> KafkaError:
    if isinstance(wrong, urllib3.exceptions.SSLError):
        return NotTrusted(
            f"The certificate of {place} is not valid for us: {wrong.args[0] if wrong.args else wrong}.",
            "Add the authority that signed it, or enter the name that the certificate has.",
        )
    if isinstance(wrong, urllib3.exceptions.TimeoutError):
        return Unreachable(f"{place} did not answer within {timeout_seconds:g} s.", "Try again later.")
    return Unreachable(
        f"{place} cannot be asked ({type(wrong).__name__}).", "Check host, port and whether it speaks https."
    )


def _pool(
    scheme: str, host: str, address: str, port: int, ca_pem: str | None, timeout_seconds: float
) -> urllib3.HTTPConnectionPool:
    """To the address that was checked; the name is only what the certificate must have."""
    plain: dict[str, Any] = {"timeout": urllib3.Timeout(timeout_seconds), "retries": False}
    if scheme == "http":
        return urllib3.HTTPConnectionPool(address, port, **plain)
    context = tls.trusting(ca_pem)
    context.load_default_certs()
    return urllib3.HTTPSConnectionPool(
        address, port, **plain, ssl_context=context, server_hostname=host, assert_hostname=host
    )
