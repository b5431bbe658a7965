#!/usr/bin/env python3
"""Sends journal dumps to a Journalscope, waits for the report, prints the verdict. Python 3.9 or newer, nothing else.

    JOURNALSCOPE_URL=https://journals.example.org JOURNALSCOPE_TOKEN=jst_... journalscope_client.py dump.json

The token needs the scopes read, upload and inspect. Exit codes are those of `manage.py inspect`: 0 nothing above
medium, 1 something critical or high, 2 the input could not be read or the report could not be had.
"""

# ruff: noqa: S310, T201
from __future__ import annotations

import argparse
import hashlib
import ipaddress
import json
import os
import socket
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from base64 import b64encode
from pathlib import Path

GOOD, ALARMING, UNREADABLE = 0, 1, 2
PIECE_BYTES = 8 << 20
PATIENCE = 8  # tries of one request, each waiting twice as long as the one before
BUSY = {423, 429, 502, 503, 504}
LOST = (urllib.error.URLError, ConnectionError, TimeoutError)


class Failed(Exception):
    """What the server said, or why it could not be asked."""


class Journalscope:
    """The API, with a token."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url.rstrip("/") + "/", token
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme == "http" and not _is_this_machine(parts.hostname or ""):
            raise Failed(
                f"{parts.hostname} is another machine, and http would send the token unencrypted. Use https, or a "
                f"tunnel to a port of this machine: ssh -L 8000:127.0.0.1:{parts.port or 80} {parts.hostname}"
            )

    def ask(self, method: str, path: str, body=None, headers=None):
        """Status, headers and content; waits and asks again where the line or the server is gone for a while."""
        for attempt in range(PATIENCE):
            try:
                return self._send(method, path, body, headers or {})
            except urllib.error.HTTPError as error:
                if error.code not in BUSY or attempt == PATIENCE - 1:
                    raise Failed(_sentence(error)) from None
                time.sleep(float(error.headers.get("Retry-After") or 2**attempt / 4))
            except LOST as error:
                if attempt == PATIENCE - 1 or method == "PATCH":
                    raise
                print(f"{error}; trying again.", file=sys.stderr)
                time.sleep(2**attempt / 4)
        raise Failed("The server does not answer.")

    def api(self, method: str, path: str, document=None):
        """A JSON document below /api/v1."""
        body = None if document is None else json.dumps(document).encode()
        _, _, content = self.ask(method, f"api/v1/{path}", body, {"Content-Type": "application/json"})
        return json.loads(content) if content else None

    def upload(self, path: Path, address: str) -> None:
        """By tus: from where the server is, so a broken line or a second start sends nothing twice."""
        size = path.stat().st_size
        for attempt in range(PATIENCE):
            _, headers, _ = self.ask("HEAD", address, headers={"Tus-Resumable": "1.0.0"})
            offset = int(headers["Upload-Offset"])
            try:
                with path.open("rb") as file:
                    file.seek(offset)
                    while offset < size:
                        offset = self._piece(address, file.read(PIECE_BYTES), offset)
                return
            except LOST as error:
                print(f"{path.name}: {error}; going on.", file=sys.stderr)
                time.sleep(2**attempt / 4)
        raise Failed(f"{path.name} could not be sent.")

    def _piece(self, address: str, piece: bytes, offset: int) -> int:
        checksum = b64encode(hashlib.sha256(piece).digest()).decode()
        headers = {
            "Tus-Resumable": "1.0.0",
            "Content-Type": "application/offset+octet-stream",
            "Upload-Offset": str(offset),
            "Upload-Checksum": f"sha256 {checksum}",
        }
        _, answered, _ = self.ask("PATCH", address, piece, headers)
        return int(answered["Upload-Offset"])

    def _send(self, method: str, path: str, body, headers):
        address = urllib.parse.urljoin(self.url, path.lstrip("/"))
        request = urllib.request.Request(address, data=body, headers=headers, method=method)
        request.add_unredirected_header("Authorization", f"Bearer {self.token}")  # for this server alone
        with urllib.request.urlopen(request, timeout=120) as response:
            return response.status, response.headers, response.read()


def _is_this_machine(host: str) -> bool:
    addresses = {row[4][0].partition("%")[0] for row in socket.getaddrinfo(host, None)}
    return all(ipaddress.ip_address(address).is_loopback for address in addresses)


def _sentence(error: urllib.error.HTTPError) -> str:
    text = error.read().decode("utf-8", "replace")
    try:
        return str(json.loads(text)["error"])
    except (ValueError, KeyError, TypeError):
        return f"The server answered {error.code}. {text[:200]}"


def announce(server: Journalscope, files: list[Path], options: argparse.Namespace) -> dict:
    """A journal with the addresses for its bytes."""
    asked = {"files": [{"name": file.name, "size": file.stat().st_size} for file in files]}
    for name in ("name", "project", "continues"):
        if getattr(options, name):
            asked[name] = getattr(options, name)
    journal = server.api("POST", "journals/", asked)
    if options.ticket:
        server.api("PATCH", f"journals/{journal['id']}/", {"ticket": options.ticket})
    return journal


def send(server: Journalscope, journal: dict, files: list[Path]) -> None:
    """The bytes of every file that is not whole yet."""
    by_name = {file.name: file for file in files}
    address = f"journals/{journal['id']}/files/"
    while address:
        page = server.api("GET", address)
        for row in page["results"]:
            if not row["sha256"] and row["name"] in by_name:
                server.upload(by_name[row["name"]], row["upload"])
        address = page["next"] and page["next"].partition("/api/v1/")[2]


def have_arrived(server: Journalscope, journal: dict) -> bool:
    """Whether no bytes are missing; the server then stores the files."""
    address = f"journals/{journal['id']}/files/"
    while address:
        page = server.api("GET", address)
        if any(row["received_bytes"] < row["size_bytes"] for row in page["results"]):
            return False
        address = page["next"] and page["next"].partition("/api/v1/")[2]
    return True


def wait(server: Journalscope, journal: dict) -> dict:
    """The inspection, over."""
    whole = server.api("GET", f"journals/{journal['id']}/")
    while not whole["complete_at"] and have_arrived(server, journal):
        time.sleep(1)
        whole = server.api("GET", f"journals/{journal['id']}/")
    inspection = (
        whole["newest"]
        or whole["same_input"]
        or server.api("POST", f"journals/{journal['id']}/inspections/", {})
    )
    while inspection["state"] in ("queued", "running"):
        time.sleep(1)
        inspection = server.api("GET", f"inspections/{inspection['id']}/")
    return server.api("GET", f"inspections/{inspection['id']}/")


def show(report: dict) -> None:
    """Verdict and causes."""
    print(report["verdict"]["sentence"])
    for finding in report["findings"]:
        if finding["consequence_of"] is None:
            print(f"{finding['severity']}: {finding['title']}")


def run(options: argparse.Namespace) -> int:
    """Announce, send, wait, show."""
    server = Journalscope(options.url, options.token)
    files = [Path(name) for name in options.files]
    journal = {"id": options.resume} if options.resume else announce(server, files, options)
    print(f"journal {journal['id']}", file=sys.stderr)
    send(server, journal, files)
    inspection = wait(server, journal)
    if inspection["state"] != "done":
        raise Failed(inspection["error"] or f"The inspection is {inspection['state']}.")
    print(urllib.parse.urljoin(server.url, f"inspections/{inspection['id']}/report/"), file=sys.stderr)
    report = server.api("GET", f"inspections/{inspection['id']}/report/")
    print(json.dumps(report, ensure_ascii=False)) if options.json else show(report)
    return ALARMING if any(one["severity"] in ("critical", "high") for one in report["findings"]) else GOOD


def main() -> int:
    """Arguments in, exit code out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", help="dumps, log segments, archives: together one journal")
    parser.add_argument("--url", default=os.environ.get("JOURNALSCOPE_URL", "http://127.0.0.1:8000"))
    parser.add_argument(
        "--token", default=os.environ.get("JOURNALSCOPE_TOKEN", ""), help="better: JOURNALSCOPE_TOKEN"
    )
    parser.add_argument("--name", help="of the journal")
    parser.add_argument("--project", help="slug; default: your first")
    parser.add_argument("--ticket", help="written on the journal")
    parser.add_argument(
        "--continues", metavar="JOURNAL", help="id of the journal of which this is a newer dump"
    )
    parser.add_argument("--resume", metavar="JOURNAL", help="id of a journal whose upload stopped half-way")
    parser.add_argument(
        "--json", action="store_true", help="print the report as `manage.py inspect --json` does"
    )
    options = parser.parse_args()
    try:
        return run(options)
    except (Failed, OSError) as error:
        print(error, file=sys.stderr)
        return UNREADABLE


if __name__ == "__main__":
    sys.exit(main())
