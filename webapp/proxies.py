"""Forwarded headers count only when they come from a proxy named in TRUSTED_PROXIES."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse

FORWARDED = ("HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST", "HTTP_FORWARDED")


class TrustedProxies:
    """Sets REMOTE_ADDR to the visitor's address; headers from untrusted clients are ignored."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        _networks(tuple(settings.TRUSTED_PROXIES))

    def __call__(self, request: HttpRequest) -> HttpResponse:
        trusted = _networks(tuple(settings.TRUSTED_PROXIES))
        if _is_in(request.META.get("REMOTE_ADDR", ""), trusted):
            request.META["REMOTE_ADDR"] = _visitor(request, trusted)
        else:
            for header in FORWARDED:
                request.META.pop(header, None)
        return self.get_response(request)


def _visitor(request: HttpRequest, trusted: tuple[IPv4Network | IPv6Network, ...]) -> str:
    """The last address of the chain that is not our proxy: clients can forge everything before it."""
    remote: str = request.META["REMOTE_ADDR"]
    hops = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    chain = [hop.strip() for hop in hops if hop.strip()]
    for address in reversed(chain):
        if not _is_address(address):
            return remote
        if not _is_in(address, trusted):
            return address
    return remote


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _is_in(text: str, networks: tuple[IPv4Network | IPv6Network, ...]) -> bool:
    return _is_address(text) and any(ip_address(text) in network for network in networks)


@cache
def _networks(names: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(ip_network(name, strict=False) for name in names)
    except ValueError as error:
        raise ImproperlyConfigured(
            f"TRUSTED_PROXIES: {error}. Write addresses or networks, such as 10.0.0.0/8."
        ) from error
