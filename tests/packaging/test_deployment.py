"""The files below docs/deployment: what linters say of them, and the parts as they start them, from the wheel alone."""

from __future__ import annotations

import configparser
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from compose_spec import PyCompose, Service

from tests.packaging.built import HANGS, ROOT
from tests.packaging.environments import Installed
from tests.postgresql import PostgreSQL
from workers.server.preflight import redis_executable
from workers.supervisor import PARTS, PREPARE

FOLDER = ROOT / "docs" / "deployment"
UNITS = sorted((FOLDER / "systemd").glob("*.service"))
MANIFESTS = sorted((FOLDER / "kustomize").glob("*.yaml"))
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text())
AT_RISK = ROOT.parent / "shared" / "corpus" / "apicurio-real" / "incident-a-1-at-risk"
SERVE = ["serve", "--part"]


def test_the_image_passes_hadolint() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    done = subprocess.run(
        [hadolint, FOLDER / "Containerfile"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout + done.stderr == ""


def test_the_image_takes_whatever_the_wheel_is_built_of() -> None:
    taken = {
        line.split()[1]
        for line in (FOLDER / "Containerfile").read_text().splitlines()
        if line.startswith("COPY ")
    }
    assert taken >= {"docs", "spark", "static", "templates", "webapp", "workers", "scripts/packaging"}


def test_the_compose_file_is_one() -> None:
    made = PyCompose.from_yaml(yaml.safe_dump(COMPOSE))  # it resolves no merge keys
    made.validate_volumes()
    known = {field.alias or name for name, field in Service.model_fields.items()}
    assert {name for service in COMPOSE["services"].values() for name in service} - known == set()


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_a_manifest_is_valid(path: Path) -> None:
    documents = list(yaml.safe_load_all(path.read_text()))
    assert documents
    for document in documents:
        if document["kind"] != "Kustomization":
            kubernetes_validate.validate(document, "1.37", strict=True)


def test_the_kustomization_names_every_manifest() -> None:
    (named,) = yaml.safe_load_all((FOLDER / "kustomize" / "kustomization.yaml").read_text())
    assert {*named["resources"], "kustomization.yaml"} == {path.name for path in MANIFESTS}


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_is_one(path: Path) -> None:
    unit = unit_of(path)
    assert unit["Service"]["ExecStart"].startswith("/opt/journalscope/bin/journalscope serve")
    assert unit["Service"]["UMask"] == "0077"
    if shutil.which("systemd-analyze"):
        command = ["systemd-analyze", "verify", "--man=no", path]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        said = [
            line for line in done.stderr.splitlines() if path.name in line and "not executable" not in line
        ]
        assert said == []


def test_each_part_has_a_container_a_pod_and_a_unit() -> None:
    pods = [
        container["args"]
        for path in MANIFESTS
        for document in yaml.safe_load_all(path.read_text())
        for kind in ("initContainers", "containers")
        for container in document.get("spec", {}).get("template", {}).get("spec", {}).get(kind, [])
        if container["image"] == "journalscope"
    ]
    services = [service.get("command", []) for service in COMPOSE["services"].values()]
    containers = [command for command in services if command[:2] == SERVE]
    commands = [[*SERVE, part] for part in PARTS]
    assert sorted(pods) == sorted(containers) == sorted(commands)
    assert {unit_of(path)["Service"]["ExecStart"].partition("serve")[2].strip() for path in UNITS} == {
        "", "--part %i", f"--part {PREPARE}",
    }  # fmt: skip


def unit_of(path: Path) -> configparser.ConfigParser:
    """A unit; of a setting that stands there several times the last."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(path)
    return parser


@pytest.mark.wheel
def test_the_parts_of_the_compose_file_inspect_an_upload(
    web: Installed, postgresql: PostgreSQL, tmp_path: Path
) -> None:
    """Each part as its container starts it: arguments and environment, with what is here for a server there."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    queue = tmp_path / "redis.sock"
    given = {
        "SECRET_KEY": "k" * 50,
        "DATABASE_URL": postgresql.new_database(),
        "REDIS_URL": f"unix://{queue}",
        "PORT": str(port),
        "JOURNALSCOPE_DATA": str(tmp_path / "data"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "SPARK_MASTER": "local[2]",
    }
    environment = web.surroundings(**given)
    assert set(COMPOSE["services"]["web"]["environment"]) - set(given) == {"PUBLIC_URL", "TRUSTED_PROXIES"}
    command = web.environment / "bin" / "journalscope"
    address = f"http://127.0.0.1:{port}"
    redis = [redis_executable(), "--port", "0", "--unixsocket", str(queue), "--dir", str(tmp_path)]
    with process(redis, {}, tmp_path / "redis.log"):
        prepared = web.call(*COMPOSE["services"][PREPARE]["command"], **given)
        assert "Sign in once" in prepared.stdout
        parts = [part for part in PARTS if part != PREPARE]
        with contextmanager(running)(command, parts, environment, tmp_path) as children:
            until_ready(f"{address}/readyz", children)
            done = web.upload(AT_RISK / "kafkasql-journal.kcat-J.ndjson", address, **given)
            assert done.returncode == 1, done.stderr
            assert "content-null-update" in done.stdout
    grace_s = float(COMPOSE["x-part"]["stop_grace_period"].removesuffix("s"))
    assert max(seconds for _, seconds in children.ended) < grace_s


class Children(dict[str, "subprocess.Popen[bytes]"]):
    """Processes by part, and how many seconds each took to end."""

    ended: list[tuple[str, float]]


def running(command: Path, parts: list[str], environment: dict[str, str], folder: Path) -> Iterator[Children]:
    children = Children()
    children.ended = []
    try:
        for part in parts:
            with (folder / f"{part}.log").open("wb") as log:
                children[part] = subprocess.Popen(
                    [command, *COMPOSE["services"][part]["command"]], env=environment, stdout=log, stderr=log
                )
        yield children
    finally:
        for part, child in children.items():
            began = time.monotonic()
            child.send_signal(signal.SIGTERM)
            child.wait(60)
            children.ended.append((part, time.monotonic() - began))


@contextmanager
def process(command: list[str], environment: dict[str, str], log: Path) -> Iterator[None]:
    with log.open("wb") as stream:
        child = subprocess.Popen(command, env=environment, stdout=stream, stderr=stream)
    try:
        yield
    finally:
        child.terminate()
        child.wait(30)


def until_ready(address: str, children: Children) -> None:
    deadline = time.monotonic() + HANGS
    answer: Any = None
    while time.monotonic() < deadline:
        assert {part: child.poll() for part, child in children.items()} == dict.fromkeys(children)
        with suppress(OSError):
            answer = urllib.request.urlopen(address, timeout=5)
            return
        time.sleep(1)
    raise AssertionError(f"not ready: {answer}")
