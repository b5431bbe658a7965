"""Fifty users at once on a running site, twenty uploads among them, against one user alone on the same site."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.figures import Figure, say
from bench.site import ROOT, Site, running

USERS = 50
UPLOADERS = 5  # of the fifty
UPLOADS = 20
SECONDS_ALONE = 30
READING_SECONDS = (3, 8)  # of each user, on a page
HASTY_SECONDS = (0.1, 0.3)  # so that few users see every page often enough
SECONDS = 60
UPLOADS_SECONDS = 240  # for what still waits when the crowd has left


def figures() -> list[Figure]:
    """Slowest twentieth of the pages under load against an idle server, failures, and uploads left uninspected."""
    with running() as site:
        before = len(site.reports())
        _play(site, 4, 0, 10, HASTY_SECONDS)  # every web process opens what later requests use
        alone = _play(site, 1, 0, SECONDS_ALONE, HASTY_SECONDS)
        crowd = _play(site, USERS, UPLOADERS, SECONDS, READING_SECONDS)
        uninspected = _uninspected(site, before)
    detail = f"{crowd.p95_ms:.0f} ms against {alone.p95_ms:.0f} ms; {crowd.requests:,} requests"
    return [
        Figure(f"page p95, {USERS} users / one", crowd.p95_ms / alone.p95_ms, 3.0, detail=detail),
        Figure("failed requests", crowd.failures, 0, unit="", detail=crowd.worst),
        Figure("uploads not inspected", uninspected, 0, unit="", detail=f"of {UPLOADS}"),
    ]


class Played:
    """Measurements of locust."""

    def __init__(self, stats: Path, failures: Path) -> None:
        rows = list(csv.DictReader(stats.open()))
        whole = next(row for row in rows if row["Name"] == "Aggregated")
        self.requests, self.failures = int(whole["Request Count"]), int(whole["Failure Count"])
        self.p95_ms = float(whole["95%"])
        self.worst = "; ".join(f"{row['Name']}: {row['Error']}" for row in csv.DictReader(failures.open()))[
            :300
        ]


def _play(site: Site, users: int, uploaders: int, seconds: int, reading: tuple[float, float]) -> Played:
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in site.session.cookies)
    environment = os.environ | {
        "BENCH_ADDRESS": site.address,
        "BENCH_COOKIES": cookies,
        "BENCH_REPORTS": json.dumps(site.reports()),
        "BENCH_UPLOADERS": str(uploaders),
        "BENCH_READING_SECONDS": json.dumps(reading),
        "BENCH_UPLOADS_EACH": str(UPLOADS // UPLOADERS),
    }
    kinds = ["Reader", "Uploader"] if uploaders else ["Reader"]
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "-m",
            "locust",
            "-f",
            str(ROOT / "bench" / "crowd.py"),
            *kinds,
            "--headless",
            "--only-summary",
        ]
        size = ["-u", str(users), "-r", str(users), "-t", f"{seconds}s", "--csv", f"{folder}/played"]
        done = subprocess.run(
            [sys.executable, *command, *size],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        say(done.stderr[-2000:] if done.returncode not in {0, 1} else "")
        return Played(Path(folder, "played_stats.csv"), Path(folder, "played_failures.csv"))


def _uninspected(site: Site, before: int) -> int:
    """Uploads whose inspection is not done when all should be; `before`: reports that were there."""
    deadline = time.monotonic() + UPLOADS_SECONDS
    expected = UPLOADS + before
    while (
        done := site.session.get(site.address).text.count('class="verdict"')
    ) < expected and time.monotonic() < deadline:
        time.sleep(1)
    return max(expected - done, 0)
