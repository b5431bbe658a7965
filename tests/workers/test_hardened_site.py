"""A site as `make run` starts it, and what outsiders do to it: slow clients."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.workers import slow_clients
from tests.workers.slow_clients import SlowClient, Visitor, ask, kept_slow, seconds_of
from tests.workers.whole_house import House, running

pytestmark = [pytest.mark.slow, pytest.mark.long]
PROBES = 20
MAX_SECONDS = 1.0
BIG_PICTURE = "import json, pathlib, os; print(json.load(open(os.environ['JOURNALSCOPE_DATA'] + '/static/staticfiles.json'))['paths']['vendor/plotly/plotly-strict.min.js'])"


@dataclass
class Site:
    """A running house with somebody signed in."""

    house: House
    visitor: Visitor
    picture: str

    @property
    def port(self) -> int:
        return int(self.house.environment["PORT"])


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with running() as house:
        (picture,) = house.python(BIG_PICTURE)
        yield Site(house, house.visitor(), f"/static/{picture}")


def probe(site: Site, path: str) -> float:
    def look() -> None:
        answer, body = ask(site.port, "GET", path, seconds=MAX_SECONDS)
        assert (answer.status, bool(body)) == (200, True)

    return seconds_of(look)


def crowd(site: Site, kind: str, count: int) -> list[SlowClient]:
    if kind == "uploads":
        paths = [slow_clients.announce(site.port, site.visitor, 5_000_000) for _ in range(count)]
        return [slow_clients.slow_upload(site.visitor, path) for path in paths]
    if kind == "readers":
        return [slow_clients.slow_reader(site.picture) for _ in range(count)]
    makes = {"headers": slow_clients.headers_without_end, "posts": slow_clients.trickled_sign_in}
    return [makes[kind]() for _ in range(count)]


@pytest.mark.parametrize(
    "kinds",
    [("headers",), ("posts",), ("uploads",), ("readers",), ("headers", "posts", "uploads", "readers")],
    ids="+".join,
)
def test_the_site_answers_within_a_second_under_slow_clients(site: Site, kinds: tuple[str, ...]) -> None:
    clients = [client for kind in kinds for client in crowd(site, kind, 200 // len(kinds))]
    with kept_slow(site.port, clients):
        seconds = {
            path: [probe(site, path) for _ in range(PROBES)] for path in ("/healthz", "/accounts/login/")
        }
    fast = {path: sum(took < MAX_SECONDS for took in all_took) for path, all_took in seconds.items()}
    assert fast == {"/healthz": PROBES, "/accounts/login/": PROBES}, seconds
