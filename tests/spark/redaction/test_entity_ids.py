"""Ids of entities whose names contain a slash."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.redaction import Options
from spark.redaction.shown_names import ShownNames
from tests.builders import given_tables, other_table


def names_of_share(dialect: str, *rows: dict[str, Any], asked: tuple[str, ...] = ()) -> ShownNames:
    """Names of a share that hides them all. A row: attributes of an entry, with its type and id."""
    entries = other_table(
        "entries",
        *(
            {"entry_type": row.pop("type"), "entity_id": row.pop("id"), "attributes": json.dumps(row)}
            for row in rows
        ),
        topic="journal",
        partition=0,
        replica="",
    )
    names = ShownNames(Options(b"salt", keys=False, names=False), {"journal": dialect})
    names.read(given_tables({"entries": entries}), {"entries"}, asked)
    return names


IMPORTED = {
    "type": "Artifact",
    "id": "default/sample/table.proto",
    "tenantId": "_",
    "artifactId": "sample/table.proto",
}


@pytest.mark.parametrize("kind", ["Artifact", "artifact", "version"])
def test_an_artifact_with_a_slash_belongs_to_the_group_of_the_others(kind: str) -> None:
    names = names_of_share("apicurio-v2", dict(IMPORTED))
    end = "/1" if kind == "version" else ""
    pseudonym = names.id_of("journal", kind, f"default/sample/table.proto{end}")
    group, artifact = names.hashed("group", "default"), names.hashed("artifact", "sample/table.proto")
    assert pseudonym == f"{group}/{artifact}{end}"
    assert names.id_of("journal", "group", "default") == group
    assert names.id_of("journal", "artifact", "default/plain").startswith(f"{group}/artifact-")


def test_where_no_entry_has_the_names_the_artifact_takes_the_slashes() -> None:
    names = names_of_share("apicurio-v2", dict(IMPORTED))
    group = names.hashed("group", "default")
    assert (
        names.id_of("journal", "version", "default/a/b/c/2")
        == f"{group}/{names.hashed('artifact', 'a/b/c')}/2"
    )


def test_a_group_with_a_slash_is_read_in_the_entries() -> None:
    fields = {"groupId": "team/pay", "artifactId": "money"}
    names = names_of_share("apicurio-v2", {"type": "Artifact", "id": "team/pay/money"} | fields)
    group = names.hashed("group", "team/pay")
    assert names.id_of("journal", "group", "team/pay") == group
    assert (
        names.id_of("journal", "artifact", "team/pay/money") == f"{group}/{names.hashed('artifact', 'money')}"
    )


def test_a_tenant_stands_before_the_group() -> None:
    fields = {"tenantId": "acme", "groupId": "default", "artifactId": "a/b"}
    names = names_of_share("apicurio-v2", {"type": "Artifact", "id": "acme/default/a/b"} | fields)
    parts = [names.hashed("name", "acme"), names.hashed("group", "default"), names.hashed("artifact", "a/b")]
    assert names.id_of("journal", "artifact", "acme/default/a/b") == "/".join(parts)
    parts[2] = names.hashed("artifact", "unheard/of")
    assert names.id_of("journal", "artifact", "acme/default/unheard/of") == "/".join(parts)


def test_entries_of_3_x_nest_their_fields() -> None:
    entity = {"groupId": "default", "artifactId": "a/b"}
    names = names_of_share("apicurio-v3", {"type": "ImportArtifact", "id": "default/a/b", "entity": entity})
    artifact = f"{names.hashed('group', 'default')}/{names.hashed('artifact', 'a/b')}"
    assert names.id_of("journal", "ImportArtifact", "default/a/b") == artifact
    assert names.id_of("journal", "CreateArtifactVersion", "default/a/b/4") == f"{artifact}/4"


def test_json_in_an_id_is_one_name_and_a_connector_may_have_a_slash() -> None:
    names = names_of_share("connect")
    partition = '{"path":"/in/orders"}'
    pseudonym = names.id_of("journal", "connector-offset", f"team/sink/{partition}")
    assert pseudonym == f"{names.hashed('connector', 'team/sink')}/{names.hashed('partition', partition)}"
    assert names.id_of("journal", "task", "team/sink/0") == f"{names.hashed('connector', 'team/sink')}/0"


def test_a_sentence_calls_names_with_and_beside_a_slash_as_the_tables_do() -> None:
    asked = ("sample/table.proto", "default")
    names = names_of_share("apicurio-v2", dict(IMPORTED), asked=asked)
    assert names.text_of("sample/table.proto") == names.hashed("artifact", "sample/table.proto")
    assert names.text_of("default") == names.hashed("group", "default")
    assert "/" not in names.text_of("sample/table.proto")


@pytest.mark.parametrize(
    ("dialect", "entry_type", "entity_type", "role"),
    [
        ("apicurio-v2", "GlobalRule", "global-rule", "rule"),
        ("apicurio-v2", "ConfigProperty", "config-property", "property"),
        ("apicurio-v2", "RoleMapping", "role", "principal"),
        ("apicurio-v3", "ImportGlobalRule1Message", "global-rule", "rule"),
        ("apicurio-v3", "CreateRoleMapping3Message", "role", "principal"),
        ("cluster-metadata", "FeatureLevel", "feature", "name"),
        ("transaction-state", "Ongoing", "transaction", "name"),
        ("connect", "connector", "connector-status", "connector"),
    ],
)
def test_an_entity_has_the_pseudonym_of_its_entries(
    dialect: str, entry_type: str, entity_type: str, role: str
) -> None:
    names = names_of_share(dialect)
    pseudonyms = {names.id_of("journal", kind, "Zq7") for kind in (entry_type, entity_type)}
    assert pseudonyms == {names.hashed(role, "Zq7")}


def test_a_rule_of_a_group_of_3_x_is_no_artifact_in_its_entries_either() -> None:
    names = names_of_share("apicurio-v3")
    of_entry = names.id_of("journal", "CreateGroupRule3Message", "pay/VALIDITY")
    assert of_entry == names.id_of("journal", "group-rule", "pay/VALIDITY")
    assert of_entry == f"{names.hashed('group', 'pay')}/VALIDITY"
