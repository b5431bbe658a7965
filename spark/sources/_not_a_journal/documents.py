"""JSON other than exports of records: answers of REST interfaces, and input and output of Kafka's tools.

A document is recognised by the members of its object, of the first object in its array, or of an object within; a function
tests what members alone do not decide. Sources: Kafka `LogDirsCommand`, `ReassignPartitionsCommand`, `DeleteRecordsCommand`,
Connect's `rest.entities` and `rest.resources`, Confluent's and Karapace's registry API, Apicurio Registry's core API v2 and
v3, Kafka REST proxy v2 and v3.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from spark.sources._not_a_journal.words import OF_CONNECT, Identified, dump, dump_of

Members = dict[str, Any]
OF_A_REGISTRY = dump_of("_schemas", "the registry")
OF_APICURIO = dump_of("kafkasql-journal", "the registry")
FAILED = "FAILED"
BEGINNINGS = 20  # lines that may begin the document; a prompt may begin with a bracket, too


def identify(text: str, _is_whole: bool) -> Identified | None:
    document = first_document(text)
    return None if document is None else name(document)


def first_document(text: str) -> Any:
    """The first complete JSON object or array that begins a line; None if there is none."""
    decoder = json.JSONDecoder(strict=False)
    for match in islice(re.finditer(r"^[ \t]{0,200}(?=[\[{])", text, re.MULTILINE), BEGINNINGS):
        try:
            return decoder.raw_decode(text, match.end())[0]
        except (ValueError, RecursionError):
            continue
    return None


def name(document: Any) -> Identified | None:
    """What a document is."""
    if isinstance(document, list):
        return of_list(document)
    if not isinstance(document, dict) or not document:
        return None
    return next((identified for ask in OF_OBJECTS if (identified := ask(document))), None)


def has(members: object, *names: str) -> bool:
    return isinstance(members, dict) and all(name in members for name in names)


def has_only(members: Members, *allowed: str) -> bool:
    return set(members) <= set(allowed)


def first(items: object) -> Any:
    return items[0] if isinstance(items, list) and items else None


def of_tools(members: Members) -> Identified | None:
    """Input files of tools that move, elect and delete, and the output of kafka-log-dirs."""
    if has(members, "brokers") and has(first(members["brokers"]), "logDirs"):
        return Identified("the output of kafka-log-dirs", dump(topics_of_log_dirs(members)))
    partition = first(members.get("partitions"))
    if not has(partition, "topic", "partition") and not has(first(members.get("topics")), "topic"):
        return None
    names = [item["topic"] for item in members.get("partitions") or members["topics"] if has(item, "topic")]
    if has(partition, "replicas"):
        return Identified("a reassignment of partitions (JSON for kafka-reassign-partitions)", dump(names))
    if has(partition, "offset") and len(partition) == 3:
        return Identified("a list of offsets for kafka-delete-records (JSON)", dump(names))
    if "topics" in members or (partition and has_only(partition, "topic", "partition")):
        return Identified(
            "a list of topics or partitions for kafka-reassign-partitions or kafka-leader-election (JSON)",
            dump(names),
        )
    return None


def topics_of_log_dirs(members: Members) -> Iterable[str]:
    """Topics whose folders lie on the brokers."""
    for broker in members["brokers"]:
        for folder in broker.get("logDirs") or [] if isinstance(broker, dict) else []:
            for partition in folder.get("partitions") or [] if isinstance(folder, dict) else []:
                if has(partition, "partition"):
                    yield str(partition["partition"]).rpartition("-")[0]


def of_connect(members: Members) -> Identified | None:
    """Answers of Connect's REST interface."""
    answer = connect_answer(members)
    if answer is None:
        return None
    return Identified(f"an answer of Connect's REST interface ({answer})", OF_CONNECT, failed(members))


def connect_answer(members: Members) -> str | None:
    if has(members, "name", "connector", "tasks") and has(members["connector"], "state"):
        return f"the status of connector {members['name']}"
    if has(members, "name", "config") and isinstance(members["config"], dict):
        return f"the configuration of connector {members['name']}"
    if has(members, "connector.class"):
        return "the configuration of a connector"
    if has(members, "offsets") and isinstance(of_offset(members), dict):
        return "the offsets of a connector"
    if has(members, "version", "commit", "kafka_cluster_id"):
        return "the version of the worker"
    if has(members, "error_count", "configs", "groups"):
        return "the check of a configuration"
    if has(members, "id", "state", "worker_id"):
        return "the status of a task"
    value = next(iter(members.values()))
    if (has(value, "status") and has(value["status"], "connector")) or (
        has(value, "info") and has(value["info"], "tasks")
    ):
        return "connectors with their status"
    return (
        "the topics of a connector"
        if has(value, "topics") and len(value) == 1 and len(members) == 1
        else None
    )


def of_offset(members: Members) -> Any:
    """The partition of a connector's first offset."""
    item = first(members["offsets"])
    return item["partition"] if has(item, "partition", "offset") else None


def failed(members: Members) -> str:
    states = [("the connector", members.get("connector"))]
    states += [
        (f"task {task.get('id')}", task) for task in members.get("tasks") or [] if isinstance(task, dict)
    ]
    broken = [
        (who, state) for who, state in states if isinstance(state, dict) and state.get("state") == FAILED
    ]
    if not broken:
        return ""
    who, state = broken[0]
    trace = str(state.get("trace") or "").split("\n")[0].strip()
    return f"It says that {who} is FAILED{f': {trace}' if trace else ''}."


def of_registries(members: Members) -> Identified | None:
    for ask, instead in ((confluent_answer, OF_A_REGISTRY), (apicurio_answer, OF_APICURIO)):
        if answer := ask(members):
            return Identified(f"an answer of a schema registry's REST interface ({answer})", instead)
    return None


def confluent_answer(members: Members) -> str | None:
    """Answers in the API of Confluent's registry, which Karapace, Redpanda and Apicurio's ccompat share."""
    if has(members, "subject", "version", "id", "schema") and "deleted" not in members:
        return f"version {members['version']} of subject {members['subject']}"
    if has(members, "schema") and has_only(
        members,
        "schema",
        "schemaType",
        "references",
        "maxId",
        "metadata",
        "ruleSet",
        "guid",
        "subject",
        "version",
    ):
        return "a schema by its id"
    if has(members, "is_compatible"):
        return "the check of a schema"
    if has_only(members, "compatibilityLevel", "compatibility"):
        return "the compatibility level"
    if has_only(members, "mode"):
        return "the mode"
    return (
        "the id of a schema" if has_only(members, "id", "version", "schemaType") and "id" in members else None
    )


def apicurio_answer(members: Members) -> str | None:
    """Of Apicurio Registry's own API."""
    for name in ("artifacts", "versions", "groups"):
        if has(members, name, "count") and isinstance(members[name], list):
            return f"Apicurio Registry, a list of {name}"
    if has(members, "globalId", "contentId") or has(members, "artifactId", "createdOn", "artifactType"):
        return "Apicurio Registry, the metadata of an artifact"
    return "Apicurio Registry, its version" if has(members, "name", "version", "builtOn") else None


def of_rest_proxy(members: Members) -> Identified | None:
    """Answers of the Kafka REST proxy without records."""
    if (
        isinstance(members.get("kind"), str)
        and members["kind"].startswith("Kafka")
        and "metadata" in members
        and "apiVersion" not in members
    ):
        return Identified(f"an answer of the Kafka REST proxy ({members['kind']})", dump())
    item = first(members.get("offsets"))
    if has(item, "partition", "offset") and ("error_code" in item or "key_schema_id" in members):
        return Identified("an answer of the Kafka REST proxy (where records were written)", dump())
    if has(members, "instance_id", "base_uri"):
        return Identified("an answer of the Kafka REST proxy (a consumer)", dump())
    return None


def of_errors(members: Members) -> Identified | None:
    """An error of a REST interface."""
    if has(members, "error_code", "message"):
        text = str(members["message"]).split("\n")[0][:200]
        return Identified(
            f"an error answer of Connect's or a registry's REST interface ({members['error_code']}: {text})",
            dump(),
        )
    if has(members, "status", "title") and ("detail" in members or "type" in members):
        return Identified(
            f"an error answer of a REST interface ({members['status']}: {members['title']})", dump()
        )
    return None


def of_others(members: Members) -> Identified | None:
    """Other JSON that occurs in tickets about Kafka."""
    if has(members, "apiVersion", "kind"):
        return Identified(f"a Kubernetes manifest ({members['kind']})", dump())
    if has(members, "chunkIndex", "segmentIndexes") or has(
        members, "segments", "namespace", "topic", "revision"
    ):
        return Identified(
            "a manifest of tiered storage", dump([str(members["topic"])] if "topic" in members else ())
        )
    if has(members, "commitInfo") or (
        has(members, "protocol") and has(members["protocol"], "minReaderVersion")
    ):
        return Identified("the transaction log of a Delta table", dump())
    if has(members, "type", "fields") and members["type"] == "record":
        return Identified("an Avro schema", dump())
    if "$schema" in members:
        return Identified("a JSON Schema", dump())
    if "openapi" in members or "swagger" in members:
        return Identified("the description of a REST interface (OpenAPI)", dump())
    return None


OF_OBJECTS: tuple[Callable[[Members], Identified | None], ...] = (
    of_tools,
    of_others,
    of_connect,
    of_rest_proxy,
    of_registries,
    of_errors,
)


def of_list(items: list[Any]) -> Identified | None:
    """Arrays: versions, names, schemas, tasks, plugins."""
    item = first(items)
    if item is None:
        return None
    if all(type(entry) is int for entry in items):
        return Identified("an answer of a schema registry's REST interface (versions or ids)", OF_A_REGISTRY)
    if all(isinstance(entry, str) for entry in items):
        return Identified(
            "a list of names (as Connect's REST interface lists connectors, or a schema registry subjects)",
            dump(),
        )
    if has(item, "id", "config") and has(item["id"], "connector", "task"):
        return Identified("an answer of Connect's REST interface (tasks)", OF_CONNECT)
    if has(item, "class", "type"):
        return Identified("an answer of Connect's REST interface (plugins)", OF_CONNECT)
    if isinstance(item, dict) and (answer := confluent_answer(item)) and "subject" in item:
        return Identified(
            f"an answer of a schema registry's REST interface (schemas, the first {answer})", OF_A_REGISTRY
        )
    if has(item, "subject", "version") and len(item) == 2:
        return Identified("an answer of a schema registry's REST interface (versions)", OF_A_REGISTRY)
    return None
