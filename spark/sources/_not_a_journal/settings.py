"""Files of settings: Java properties of Kafka's programs, manifests in YAML, markup, statements of SQL.

properties => (name "=" value LF)*, comments begin with # or !
"""

from __future__ import annotations

import re

from spark.sources._not_a_journal.words import Identified, dump

PROPERTY = re.compile(r"^\s*([A-Za-z][\w.-]*)\s*[=:]\s*(\S.*)?$")
COMMENT = re.compile(r"^\s*[#!]")
BROKER_FOLDER = "an archive of the partition's folder instead of the broker's own files: `tar -czf TOPIC-0.tar.gz TOPIC-0`"
CHECKPOINT = re.compile(r"0\n(\d+)\n(?:[A-Za-z0-9._-]+ \d+ -?\d+\n?)*\Z", re.ASCII)
EPOCHS = re.compile(r"0\n(\d+)\n(?:\d+ \d+\n?)*\Z", re.ASCII)
FILES = (
    ({"cluster.id", "version"}, "a broker's meta.properties under another name"),
    ({"kafkastore.bootstrap.servers"}, "the settings of a schema registry (schema-registry.properties)"),
    ({"kafkastore.connection.url"}, "the settings of a schema registry (schema-registry.properties)"),
    ({"config.storage.topic"}, "the settings of a Connect worker (connect-distributed.properties)"),
    ({"offset.storage.file.filename"}, "the settings of a Connect worker (connect-standalone.properties)"),
    ({"connector.class"}, "the configuration of a connector (properties)"),
    ({"process.roles"}, "a broker's settings (server.properties)"),
    ({"broker.id"}, "a broker's settings (server.properties)"),
    ({"node.id"}, "a broker's settings (server.properties)"),
    ({"zookeeper.connect"}, "a broker's settings (server.properties)"),
    ({"log.dirs"}, "a broker's settings (server.properties)"),
    ({"clientPort"}, "the settings of ZooKeeper"),
    ({"bootstrap.servers"}, "the settings of a Kafka client (properties)"),
    ({"security.protocol"}, "the settings of a Kafka client (properties)"),
)
MIN_SHARE = 0.8  # of the lines; a text with colons now and then is no file of properties
MARKUP = (
    (re.compile(r"\s*(?:<!doctype html|<html[\s>])", re.IGNORECASE), "a web page (HTML)"),
    (re.compile(r"\s*<(?:\?xml\b|[A-Za-z][\w:.-]*(?:\s[^<>]*)?>\s*<)"), "an XML document"),
    (re.compile(r"^\s*-----BEGIN ", re.MULTILINE), "a key or a certificate (PEM)"),
    (re.compile(r"(?:^|\n)\s*#!/"), "a script"),
    (re.compile(r"(?:^|\n)syntax = \"proto\d\""), "a Protobuf schema as text"),
    (re.compile(r"\s*(?:--[^\n]*\n\s*)*(?:CREATE|INSERT|SELECT|UPDATE|ALTER|DROP)\s", re.IGNORECASE), "SQL"),
)
YAML_KIND = re.compile(r"^kind:\s*(\w+)\s*$", re.MULTILINE)
YAML_API = re.compile(r"^apiVersion:\s*\S+", re.MULTILINE)
COMPOSE = re.compile(r"^services:\s*$", re.MULTILINE)


def identify(text: str, is_whole: bool) -> Identified | None:
    """Manifests first: their lines look like properties too."""
    return of_yaml(text) or of_checkpoint(text, is_whole) or of_properties(text) or of_markup(text)


def of_yaml(text: str) -> Identified | None:
    """An object of Kubernetes, or services of Docker Compose."""
    kind = YAML_KIND.search(text)
    if kind and YAML_API.search(text):
        return Identified(f"a Kubernetes manifest ({kind[1]})", dump())
    return Identified("a Docker Compose file", dump()) if COMPOSE.search(text) else None


def of_checkpoint(text: str, is_whole: bool) -> Identified | None:
    """A broker's checkpoint under another name: only the name said what it contains."""
    body = text.strip() + "\n"
    if is_whole and CHECKPOINT.match(body):
        description = "a broker's checkpoint under another name"
    elif is_whole and EPOCHS.match(body):
        description = "a partition's leader-epoch-checkpoint under another name"
    else:
        return None
    return Identified(description, f"{BROKER_FOLDER} (a checkpoint in that folder needs its original name)")


def of_properties(text: str) -> Identified | None:
    """By the names that a program reads."""
    lines = [line for line in text.splitlines() if line.strip() and not COMMENT.match(line)]
    names = {match[1] for line in lines if (match := PROPERTY.match(line))}
    if not names or sum(PROPERTY.match(line) is not None for line in lines) < MIN_SHARE * len(lines):
        return None
    for needed, description in FILES:
        if needed <= names:
            return Identified(description, BROKER_FOLDER if "broker" in description else dump())
    if len([name for name in names if "." in name]) * 2 < len(names) or len(names) < 2:
        return None
    return Identified("a file of settings (Java properties)", dump())


def of_markup(text: str) -> Identified | None:
    """Web pages, XML, keys, scripts, schemas, SQL."""
    return next(
        (Identified(description, dump()) for pattern, description in MARKUP if pattern.match(text)), None
    )
