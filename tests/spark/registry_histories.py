"""Random legal histories of an Apicurio Registry 2.5.8: the journal, and the state that its clients brought about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from tests.generator.journal import Stored
from tests.generator.registry import (
    ARTIFACT_RULE,
    ARTIFACT_VERSION,
    COMMENT,
    CREATE,
    DELETE,
    GLOBAL_RULE,
    GROUP,
    RULE_TYPES,
    UPDATE,
    Registry,
    Version,
)
from tests.generator.schemas import Schema, catalogue

State = dict[str, dict[str, Any]]
CONFIGS = ("FULL", "NONE", "BACKWARD")
GROUPS = (None, "orders", "payments")


@dataclass
class Clients:
    """Clients that do allowed things at random, and remember what must be true afterwards.

    `careful`: they leave out what compaction undoes. One artifact is never touched, so that the clean-up of contents,
    which takes all of them once no version exists, stays out of it.
    """

    seed: int
    careful: bool
    state: State = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rng = Random(self.seed)
        self.running = Registry(self.seed)
        self.template = catalogue(Random(1), 1, 1)[0][0]
        self.running.start()
        self.add(self.schema(None, "stays"))

    def live(self, steps: int) -> list[Stored]:
        """So many steps, and the journal."""
        for _ in range(steps):
            self.rng.choice(self.choices())()
        return list(self.running.stored)

    def choices(self) -> list[Callable[[], None]]:
        """What may be done."""
        safe = [
            self.grow,
            self.grow,
            self.set_state,
            self.remark,
            self.unremark,
            self.set_rule,
            self.unset_rule,
        ]
        safe += [self.drop_artifact, self.restart]
        return safe if self.careful else [*safe, self.drop_version, self.drop_group, self.change_rule]

    def schema(self, group: str | None, artifact: str) -> Schema:
        """A version's text; now and then one that has been there before."""
        text = b'{"type":"string","doc":"%d"}' % self.rng.randrange(40)
        return replace(self.template, group=group, artifact=artifact, content=text)

    def versions(self) -> list[Version]:
        """Every version but the one that stays."""
        places = [place for place in self.running.artifacts if place[1] != "stays"]
        return [version for place in places for version in self.running.artifacts[place]]

    def add(self, schema: Schema) -> None:
        version = self.running.add(schema)
        if schema.group:
            self.state[f"group {schema.group}"] = {}
        self.state[f"artifact {name_of(version)}"] = {"type": schema.type}
        self.state[f"version {name_of(version)}/{version.number}"] = {
            "globalId": version.global_id,
            "contentId": version.content_id,
            "state": "ENABLED",
        }

    def grow(self) -> None:
        self.add(self.schema(self.rng.choice(GROUPS), f"a{self.rng.randrange(5)}"))

    def set_state(self) -> None:
        for version in self.rng.sample(self.versions(), min(1, len(self.versions()))):
            state = self.rng.choice(["ENABLED", "DISABLED", "DEPRECATED"])
            self.running.describe(version, "text", state)
            self.state[f"version {name_of(version)}/{version.number}"]["state"] = state

    def remark(self) -> None:
        for version in self.rng.sample(self.versions(), min(1, len(self.versions()))):
            number = self.running.next_comment_id
            self.running.comment(version, f"comment {number}")
            self.state[f"comment {number}"] = {"value": f"comment {number}", "of": place_of(version)}

    def unremark(self) -> None:
        comments = sorted(name for name in self.state if name.startswith("comment "))
        for name in self.rng.sample(comments, min(1, len(comments))):
            self.delete_comment(name)

    def delete_comment(self, name: str) -> None:
        place, number = self.state.pop(name)["of"], name.split()[1]
        members = {"groupId": place[0], "artifactId": place[1], "version": place[2], "commentId": number}
        self.running.write(
            COMMENT, {**members, "uuid": self.running.uuid()}, {"action": DELETE, "globalId": -1}
        )

    def delete_comments(self, version: Version) -> None:
        """Of a version whose artifact is to be deleted: the registry deletes no artifact that has one."""
        for name in [name for name, value in self.state.items() if value.get("of") == place_of(version)]:
            self.delete_comment(name)

    def rules(self) -> list[tuple[str, int, dict[str, Any]]]:
        """Names, record types and key members of all rules there may be."""
        global_rules = [(f"global-rule {rule}", GLOBAL_RULE, {"ruleType": rule}) for rule in RULE_TYPES]
        return global_rules + [
            (
                f"artifact-rule {name_of(version)}/VALIDITY",
                ARTIFACT_RULE,
                {
                    "groupId": version.schema.group,
                    "artifactId": version.schema.artifact,
                    "ruleType": "VALIDITY",
                },
            )
            for version in self.versions()
        ]

    def write_rule(self, action: int, there: bool) -> None:
        """CREATE, UPDATE or DELETE of a rule that is there or is not."""
        fitting = [rule for rule in self.rules() if (rule[0] in self.state) == there]
        for name, kind, members in self.rng.sample(fitting, min(1, len(fitting))):
            config = self.rng.choice(CONFIGS)
            self.running.write(kind, members, {"action": action, "config": {"configuration": config}})
            if action == DELETE:
                del self.state[name]
            else:
                self.state[name] = {"config": config}

    def set_rule(self) -> None:
        self.write_rule(CREATE, there=False)

    def change_rule(self) -> None:
        self.write_rule(UPDATE, there=True)

    def unset_rule(self) -> None:
        self.write_rule(DELETE, there=True)

    def restart(self) -> None:
        self.running.start()

    def forget(self, version: Version, with_artifact: bool) -> None:
        """What goes with a version."""
        name = name_of(version)
        gone = {f"version {name}/{version.number}"}
        if with_artifact:
            gone |= {f"artifact {name}", f"artifact-rule {name}/VALIDITY"}
        gone |= {key for key, value in self.state.items() if value.get("of") == place_of(version)}
        self.state = {key: value for key, value in self.state.items() if key not in gone}

    def drop_artifact(self) -> None:
        for version in self.rng.sample(self.versions(), min(1, len(self.versions()))):
            place = version.schema.group, version.schema.artifact
            for each in self.running.artifacts[place]:
                self.delete_comments(each)
                self.forget(each, True)
            self.running.delete_artifact(place)

    def drop_version(self) -> None:
        """The newest version of an artifact that has another one: DELETE, then null."""
        artifacts = [versions for versions in self.running.artifacts.values() if len(versions) > 1]
        for versions in self.rng.sample(artifacts, min(1, len(artifacts))):
            if versions[0].schema.artifact == "stays":
                continue
            version = versions.pop()
            members = {
                "groupId": version.schema.group,
                "artifactId": version.schema.artifact,
                "version": version.number,
            }
            self.running.write(ARTIFACT_VERSION, members, {"action": DELETE})
            self.running.write(ARTIFACT_VERSION, members, None)
            self.forget(version, False)

    def drop_group(self) -> None:
        for group in self.rng.sample(sorted(self.running.groups), min(1, len(self.running.groups))):
            for place in [place for place in self.running.artifacts if place[0] == group]:
                for version in self.running.artifacts.pop(place):
                    self.delete_comments(version)
                    self.forget(version, True)
            self.running.write(GROUP, {"groupId": group}, {"action": DELETE, "onlyArtifacts": False})
            self.running.groups.discard(group)
            del self.state[f"group {group}"]


def name_of(version: Version) -> str:
    """Group and artifact, as entities are called."""
    return f"{version.schema.group or 'default'}/{version.schema.artifact}"


def place_of(version: Version) -> tuple[str | None, str, str]:
    """Where a comment hangs."""
    return version.schema.group, version.schema.artifact, version.number


def cleaned(stored: list[Stored], cut: int, keeps_tombstones: bool) -> list[Stored]:
    """What a run of the cleaner leaves that comes as far as this offset."""
    last = {entry.record.key: entry.offset for entry in stored if entry.offset < cut}
    return [
        entry
        for entry in stored
        if entry.offset >= cut
        or (last[entry.record.key] == entry.offset and (keeps_tombstones or entry.record.value is not None))
    ]
