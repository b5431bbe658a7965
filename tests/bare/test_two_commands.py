"""README's two commands on a bare machine: a root file system with git, make and Python; no browser, no Java, no Redis.

Each command runs as it would after a fresh clone, in namespaces of its own, so that nothing outlives it and no mount stays.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.bare
ROOT = Path(__file__).resolve().parents[2]
SUITE = "bookworm"  # has Python 3.11, the oldest that we take
PACKAGES = "git,make,python3-venv"
CLONE = "/srv/people/journalscope"
PLOTS = "tests/webapp/reports/charts/test_plotly_accepts.py"
PASTE = "tests/e2e/test_paste.py"  # a browser, a worker and an inspection
NEEDED = ("debootstrap", "unshare", "chroot", "git")
FORGOTTEN = (
    "PYTEST_",
    "PYTHON",
    "DJANGO_",
    "VIRTUAL_ENV",
    "JAVA_HOME",
    "SPARK_",
    "CHROMIUM",
    "MAKE",
    "MFLAGS",
    "LIVE",
)
HANGS = 900  # seconds; what takes so long on the busiest machine never ends
# The shell stays the first process of its namespace: with it everything ends, also when the test is killed.
ENTER = """
mount --make-rprivate /
mount -t proc proc "$0/proc"
mount --rbind /dev "$0/dev"
chroot --userspec="$1" "$0" /usr/bin/env HOME="$2" PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -ec "cd $3; $4" || exit 1
"""
ANSWERS = """
PORT=%d make run >run.log 2>&1 &
python3 - <<'END' || { cat run.log; exit 1; }
import pathlib, time, urllib.request
for _ in range(900):
    if 'Stop with Ctrl-C' in pathlib.Path('run.log').read_text():
        break
    time.sleep(1)
else:
    raise SystemExit('it did not start')
print(urllib.request.urlopen('http://127.0.0.1:%d/healthz', timeout=5).read().decode())
END
kill -TERM $!; wait $! || true; cat run.log  # in the background a shell ignores the signal of Ctrl-C
"""


@dataclass(frozen=True)
class Machine:
    """A root file system with a clone of the project that belongs to a user without rights."""

    root: Path

    def run(self, command: str, *, is_root: bool = False, is_offline: bool = False) -> str:
        """What a command in the clone prints; it must succeed."""
        user, home = ("0:0", "/root") if is_root else ("1000:1000", "/srv/people")
        own = {name: value for name, value in os.environ.items() if not name.startswith(FORGOTTEN)}
        spaces = ["--mount", "--pid", "--fork", "--kill-child", *(["--net"] if is_offline else [])]
        done = subprocess.run(
            ["unshare", *spaces, "sh", "-ec", ENTER, self.root, user, home, CLONE, command],
            env={**own, "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=HANGS,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    """Made anew; some minutes."""
    if os.geteuid():
        pytest.skip("only root can make a root file system")
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        pytest.skip(f"a root file system needs {', '.join(missing)}")
    if subprocess.run(
        ["unshare", "--mount", "--pid", "--fork", "mount", "--make-rprivate", "/"], check=False
    ).returncode:
        pytest.skip("this machine gives no namespaces of mounts and processes")
    with tempfile.TemporaryDirectory(prefix="js-bare-", ignore_cleanup_errors=True) as folder:
        root = Path(folder) / "root"
        make_root(root)
        yield Machine(root)


def make_root(root: Path) -> None:
    """Debian's smallest system, a user, a fresh clone, and what the machine around it knows of the network."""
    command = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, root]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
    if done.returncode:
        pytest.skip(f"debootstrap cannot make one here: {done.stdout.splitlines()[-1:]}")
    for name in ("resolv.conf", "hosts", "pip.conf", "ssl/certs/ca-certificates.crt"):
        if Path("/etc", name).exists():
            (root / "etc" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path("/etc", name), root / "etc" / name)
    if (npm := Path.home() / ".npmrc").exists():
        for home in ("root", "srv/people"):
            (root / home).mkdir(parents=True, exist_ok=True)
            shutil.copy(npm, root / home)
    subprocess.run(["chroot", root, "useradd", "-u", "1000", "-m", "-d", "/srv/people", "person"], check=True)
    clone = root / CLONE[1:]
    subprocess.run(["git", "clone", "-q", "--no-local", "--depth=1", ROOT.as_uri(), clone], check=True)
    subprocess.run(["chown", "-R", "1000:1000", root / "srv/people"], check=True)


def test_the_machine_has_nothing(machine: Machine) -> None:
    for program in ("chromium", "java", "redis-server", "node", "npm", "gcc"):
        assert machine.run(f"command -v {program} || true") == ""


def test_make_run_is_all_it_takes(machine: Machine) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    said = machine.run(ANSWERS % (port, port))
    assert "Stop with Ctrl-C" in said
    assert "accounts/once/" in said


def test_without_a_network_the_browser_tests_are_left_out_and_counted(machine: Machine) -> None:
    machine.run("make env-dev")
    said = machine.run(f"make test TESTS={PLOTS}", is_offline=True)
    assert said.count("Browser tests are left out: ") == 1
    assert " browser tests were left out: this machine has no browser" in said
    assert " failed" not in said


def test_make_test_fetches_a_browser_for_a_user_without_rights(machine: Machine) -> None:
    said = machine.run(f"make test TESTS='{PLOTS} {PASTE}'")
    assert "No browser here: fetching one into the environment (once)." in said
    assert "left out" not in said
    assert " passed" in said
    assert "No browser here" not in machine.run(f"make test TESTS={PLOTS}")


def test_make_test_installs_the_package_of_debian_for_root(machine: Machine) -> None:
    machine.run("rm -rf .venv/browser .venv/.browser")
    said = machine.run(f"make test TESTS={PLOTS}", is_root=True)
    assert "No browser here: installing Debian's Chromium (once)." in said
    assert "left out" not in said
    assert " passed" in said
