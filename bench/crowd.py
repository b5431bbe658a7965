"""Who locust plays: readers who go through the pages of reports, and people who upload dumps while they do.

Run by `bench.users`, which passes the session's cookies and the reports' paths in the environment.
"""

from __future__ import annotations

import json
import os
import random
import re
import uuid
from typing import Any

import gevent
from locust import FastHttpUser, between, constant, task

TABS = ("", "timeline/", "keys/", "records/", "state/", "log/", "files/")
FIGURES = {"": "strip.json", "timeline/": "timeline/figure.json", "log/": "log/figure.json"}
AT_AN_OFFSET = {"records/": "offset", "state/": "at"}  # every second time at an offset of one's own
OFFSETS = 250  # of the smaller sample
RECORDS = 20_000
reports: list[str] = json.loads(os.environ["BENCH_REPORTS"])
reading_seconds: tuple[float, float] = json.loads(os.environ["BENCH_READING_SECONDS"])


class SignedIn(FastHttpUser):
    abstract = True
    host = os.environ["BENCH_ADDRESS"]
    cookies = os.environ["BENCH_COOKIES"]

    def see(self, path: str, name: str, **more: Any) -> Any:
        return self.client.get(path, name=name, headers={"Cookie": self.cookies}, **more)


class Reader(SignedIn):
    """Opens the list, a report, and one tab after the other with the figure on it."""

    wait_time = between(*reading_seconds)

    def on_start(self) -> None:
        """Somebody who has a page open already: fifty people do not click in the same moment."""
        gevent.sleep(random.uniform(0, reading_seconds[1]))

    @task(1)
    def look_at_the_list(self) -> None:
        self.see("/", "list")

    @task(6)
    def look_at_a_report(self) -> None:
        """A tab, and its figure as the browser asks for it."""
        report, tab = random.choice(reports) + "report/", random.choice(TABS)
        self.see(report + tab + _offset_of_ones_own(tab), f"report {tab or 'overview/'}")
        if tab in FIGURES:
            self.see(report + FIGURES[tab], f"figure {FIGURES[tab]}")

    @task(1)
    def look_at_the_queue(self) -> None:
        self.see("/review/", "queue")


class Uploader(SignedIn):
    """Announces a dump, sends it, and looks at the inspection's progress."""

    fixed_count = int(os.environ["BENCH_UPLOADERS"])
    wait_time = constant(1)
    uploads_left = int(os.environ["BENCH_UPLOADS_EACH"])

    @task
    def upload(self) -> None:
        """One dump, with the requests that the page sends."""
        if not self.uploads_left:
            return
        self.uploads_left -= 1
        dump = dumps.pop()
        token = re.search(r'name="csrf-token" content="([^"]+)"', self.see("/", "list").text)[1]  # type: ignore[index]
        headers = {"Cookie": self.cookies, "X-CSRFToken": token, "Referer": f"{self.host}/"}
        body = {"files": [{"name": "journal.json", "size": len(dump)}]}
        announced = self.client.post("/journals/", json=body, headers=headers, name="announce").json()
        sent = {
            "Tus-Resumable": "1.0.0",
            "Upload-Offset": "0",
            "Content-Type": "application/offset+octet-stream",
        }
        self.client.patch(announced["uploads"][0]["url"], data=dump, headers=headers | sent, name="upload")
        self.see(announced["next"], "progress")


def _offset_of_ones_own(tab: str) -> str:
    if tab not in AT_AN_OFFSET or random.random() < 0.5:
        return ""
    return f"?{AT_AN_OFFSET[tab]}={random.randrange(OFFSETS)}"


def _dump() -> bytes:
    """Lines as `kcat -J` prints them, unlike any other dump's."""
    tag = uuid.uuid4().hex
    record = {"topic": f"settings-{tag[:8]}", "partition": 0, "tstype": "create", "broker": 0}
    return b"".join(
        json.dumps(
            record | {"offset": n, "ts": 1_760_000_000_000 + n, "key": f"k{n % 997}", "payload": f"{tag}-{n}"}
        ).encode()
        + b"\n"
        for n in range(RECORDS)
    )


# Made before anybody's clock runs: one thread plays everybody, and while it makes a dump it reads no answer.
dumps = [_dump() for _ in range(int(os.environ["BENCH_UPLOADERS"]) * int(os.environ["BENCH_UPLOADS_EACH"]))]
