"""Readers of environment variables and of the secret key, each with a sentence for a value that cannot be used."""

from __future__ import annotations

import ipaddress
import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from spark.storage.address import is_address, require_known
from spark.storage.room import MAX_BYTES
from spark.terms.errors import UnreadableInput

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}


def keep_files_private() -> None:
    """Set the umask: files of this process and its children are readable by the owner only."""
    os.umask(os.umask(0o077) | 0o077)


def flag(name: str, default: bool = False) -> bool:
    text = os.environ.get(name, "").strip().lower()
    if name not in os.environ or text in TRUE | FALSE:
        return text in TRUE if name in os.environ else default
    raise ImproperlyConfigured(f"{name}={text} is neither yes nor no; use 1 or 0.")


def number(name: str, default: int) -> int:
    """A positive integer."""
    text = os.environ.get(name, "").strip() or str(default)
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise ImproperlyConfigured(f"{name}={text} is not a whole number above zero, such as {default}.")


def choice(name: str, default: str, allowed: set[str]) -> str:
    text = os.environ.get(name, "").strip().lower() or default
    if text in allowed:
        return text
    raise ImproperlyConfigured(f"{name}={text} is invalid. Allowed: {', '.join(sorted(allowed))}.")


def store(name: str) -> str:
    """URL of a folder in an object store; empty if unset."""
    text = os.environ.get(name, "").strip().rstrip("/")
    try:
        if text:
            require_known(text)
    except UnreadableInput as problem:
        raise ImproperlyConfigured(f"{name}: {problem}") from problem
    return text


def folder_or_store(name: str, default: Path) -> str:
    """A folder, given as a path or a `file:` URL, or the URL of a folder in an object store."""
    text = os.environ.get(name, "").strip().rstrip("/") or str(default)
    if is_address(text):
        return store(name)
    return str(Path(unquote(urlsplit(text).path) if text.startswith("file:") else text).resolve())


def set_cache(folder: Path) -> None:
    """Check the settings of the local cache of a store and export them to child processes."""
    os.environ["CACHE_DIR"] = str(Path(os.environ.get("CACHE_DIR") or folder).resolve())
    os.environ["CACHE_MAX_BYTES"] = str(number("CACHE_MAX_BYTES", MAX_BYTES))


def words(name: str) -> list[str]:
    """Values separated by commas or spaces."""
    return os.environ.get(name, "").replace(",", " ").split()


def networks(name: str) -> list[str]:
    """Networks such as `10.0.0.0/8`, separated by commas or spaces; `loopback` means this machine."""
    names = words(name)
    for word in names:
        try:
            ipaddress.ip_network(word if word != "loopback" else "127.0.0.0/8")
        except ValueError:
            raise ImproperlyConfigured(
                f"{name}: {word} is not a network such as 10.0.0.0/8 or fd00::/8, nor the word loopback."
            ) from None
    return names


def mail_server(url: str) -> dict[str, Any]:
    """Parts of `smtp://user:password@host:587` (`smtp+tls`: STARTTLS, `smtps`: TLS)."""
    parts = urlsplit(url or "smtp://localhost:25")
    ports = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
    try:
        port = parts.port
    except ValueError:
        port = 0
    if parts.scheme not in ports or not parts.hostname or port == 0:
        raise ImproperlyConfigured(
            "EMAIL_URL is not an address such as smtp+tls://user:password@mail.example.org:587."
        )
    return {
        "host": parts.hostname,
        "port": port or ports[parts.scheme],
        "user": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "use_tls": parts.scheme == "smtp+tls",
        "use_ssl": parts.scheme == "smtps",
    }


def secret_key(path: Path) -> str:
    """The key of the environment, or the key generated at the first start."""
    from_environment = os.environ.get("SECRET_KEY", "").strip()
    return from_environment or _kept_key(path)


def _kept_key(path: Path) -> str:
    fresh = secrets.token_urlsafe(50)
    try:
        if not path.exists():
            write_once(path, fresh.encode())
    except OSError:
        # a read-only folder: the command line still works, and sessions do not outlive the process
        return fresh
    return path.read_text().strip()


def write_once(path: Path, content: bytes) -> None:
    """Write a file readable by the owner only; of two concurrent processes, both use the first one's content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        # a hard link fails when somebody else was quicker, and never shows a half-written key
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
