"""Diagnoses the way to a cluster step by step: what works, what does not, why, and what to do, for each broker by itself.

Every bootstrap address is tried, then every broker that they advertise: clients talk to those. A step that fails leaves
the ones after it untried. Rights that are missing are no failure: what they would tell is left out of captures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from kafka.protocol.metadata import MetadataRequest

from webapp.networks.guard import Networks
from workers.kafka import rights, sign_in, tls
from workers.kafka.connection import BrokerConnection
from workers.kafka.errors import KafkaError, NotAllowed, NotSpoken
from workers.kafka.releases import release_of
from workers.kafka.rights import LedBroker
from workers.kafka.security import Address
from workers.kafka.topics import journal_of
from workers.net.address import host_and_port, written
from workers.net.tcp import open_port

WORKS, FAILED, LIMITED, NOT_TRIED = "works", "failed", "limited", "not-tried"
BOOTSTRAP, ADVERTISED = "bootstrap", "advertised"
RIGHTS = {
    "right-to-read": ("Topics can be read", rights.reads),
    "right-to-configs": ("Configuration can be read", rights.reads_configs),
    "right-to-sizes": ("Sizes can be read", rights.reads_sizes),
    "right-to-transactions": ("Transactions can be read", rights.reads_transactions),
}


@dataclass(frozen=True)
class Step:
    """`state` is one of the four above; `says` is the finding or the cause, `cure` stands with what is not as it should be."""

    id: str
    name: str
    state: str = NOT_TRIED
    says: str = ""
    cure: str | None = None


@dataclass(frozen=True)
class BrokerAddress:
    """One address: `how` we know of it, and its broker's `node` id and `release` as far as they are known."""

    address: str
    how: str
    node: int | None
    release: str | None
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Diagnosis:
    """`is_fine` when no step failed; `sentence` sums up. Made of what JSON knows, by `dataclasses.asdict`."""

    is_fine: bool
    sentence: str
    places: tuple[BrokerAddress, ...]


@dataclass
class AddressDiagnosis:
    """Diagnosis of one address, step by step."""

    address: Address
    networks: Networks
    timeout_seconds: float
    host: str
    port: int
    how: str
    node: int | None = None
    addresses: list[str] = field(default_factory=list)
    socket: Any = None
    connection: BrokerConnection | None = None
    metadata: Any = None
    steps: list[Step] = field(default_factory=list)

    def plan(self) -> dict[str, tuple[str, Callable[[], str]]]:
        """The steps in their order: id -> name and what to do. ApiVersions comes first: a sign-in depends on it."""
        security, steps = self.address.security, {}
        steps["name"] = ("Name resolves", self._resolves)
        steps["port"] = ("Port opens", self._opens)
        if security.is_encrypted:
            steps["tls"] = ("TLS", self._encrypts)
        steps["versions"] = ("Broker answers", self._answers)
        if security.is_signed_in:
            steps["sign-in"] = ("Sign-in", self._signs_in)
        steps["topics"] = ("Topics are listed", self._lists)
        return steps

    def run(self, on_step: Callable[[], None]) -> None:
        """Take the steps until one fails; `on_step` is called after each."""
        plan = self.plan()
        self.steps = [Step(id, name) for id, (name, _) in plan.items()]
        for number, (_, action) in enumerate(plan.values()):
            self.steps[number] = taken(self.steps[number], action)
            on_step()
            if self.steps[number].state == FAILED:
                break

    def run_rights(self, on_step: Callable[[], None]) -> None:
        """Try the rights, where everything else worked and the broker is known by its id."""
        if self.node is None or self.metadata is None or self.connection is None:
            return
        connection, leader = self.connection, leader_of(self.metadata, self.node)
        for id, (name, question) in RIGHTS.items():
            self.steps.append(taken(Step(id, name), lambda ask=question: ask(connection, leader)))  # type: ignore[misc]
            on_step()

    def close(self) -> None:
        for opened in (self.connection, self.socket):
            if opened is not None:
                opened.close()

    def result(self) -> BrokerAddress:
        versions = self.connection.versions if self.connection else None
        return BrokerAddress(
            written(self.host, self.port),
            self.how,
            self.node,
            release_of(versions) if versions else None,
            tuple(self.steps),
        )

    def _resolves(self) -> str:
        self.addresses = self.networks.resolve(self.host, self.port)
        if self.addresses == [self.host]:
            return f"{self.host} is already an address."
        return f"{self.host} is {', '.join(self.addresses)}."

    def _opens(self) -> str:
        self.socket = open_port(self.host, self.port, self.addresses, self.timeout_seconds)
        self.connection = BrokerConnection(written(self.host, self.port), self.socket, self.timeout_seconds)
        return f"Port {self.port} takes connections."

    def _encrypts(self) -> str:
        broker = written(self.host, self.port)
        self.socket = tls.secured(self.socket, self.host, broker, self.address.security)
        self.connection = BrokerConnection(broker, self.socket, self.timeout_seconds)
        name, _, bits = self.socket.cipher()
        return f"{self.socket.version()} with {name}, {bits} bits."

    def _answers(self) -> str:
        assert self.connection
        self.connection.learn_versions()
        return f"A Kafka broker of release {release_of(self.connection.versions)}."

    def _signs_in(self) -> str:
        assert self.connection
        security = self.address.security
        sign_in.sign_in(self.connection, security, self.networks)
        return f"Signed in by {security.mechanism}{f' as {security.username}' if security.username else ''}."

    def _lists(self) -> str:
        assert self.connection
        answer = self.connection.ask(MetadataRequest, topics=None, allow_auto_topic_creation=False)
        self.metadata = answer
        matching = [
            broker.node_id
            for broker in answer.brokers
            if (broker.host.lower(), broker.port) == (self.host, self.port)
        ]
        self.node = matching[0] if matching else self.node
        topics, brokers = len(answer.topics), len(answer.brokers)
        return f"{_count(topics, 'topic')} on {_count(brokers, 'broker')}."


def diagnose(
    address: Address,
    networks: Networks,
    on_step: Callable[[Diagnosis], None],
    timeout_seconds: float = 10.0,
) -> Diagnosis:
    """All addresses; `on_step` gets the diagnosis so far after each step. Never raises KafkaError."""
    addresses: list[AddressDiagnosis] = []

    def report() -> None:
        on_step(diagnosis_of(addresses, is_over=False))

    def check(host: str, port: int, how: str, node: int | None = None) -> AddressDiagnosis:
        checked = AddressDiagnosis(address, networks, timeout_seconds, host, port, how, node)
        addresses.append(checked)
        try:
            checked.run(report)
            checked.run_rights(report)
        finally:
            checked.close()
        return checked

    bootstrap = {host_and_port(text): None for text in address.bootstrap}
    brokers: dict[tuple[str, int], int] = {}
    for host, port in bootstrap:
        answer = check(host, port, BOOTSTRAP).metadata
        brokers |= {
            (each.host.lower(), each.port): each.node_id for each in (answer.brokers if answer else ())
        }
    for (host, port), node in brokers.items():
        if (host, port) not in bootstrap:
            check(host, port, ADVERTISED, node)
    diagnosis = diagnosis_of(addresses, is_over=True)
    on_step(diagnosis)
    return diagnosis


def taken(step: Step, action: Callable[[], str]) -> Step:
    """The step with its outcome."""
    try:
        return replace(step, state=WORKS, says=action())
    except (NotAllowed, NotSpoken) as limit:
        state = LIMITED if step.id in RIGHTS else FAILED
        return replace(step, state=state, says=limit.cause, cure=limit.cure)
    except KafkaError as problem:
        return replace(step, state=FAILED, says=problem.cause, cure=problem.cure)


def leader_of(metadata: Any, node: int) -> LedBroker:
    """A partition that the broker leads, of a journal rather than of another topic."""
    led = [
        (journal_of(topic.name) is None, topic.name, each.partition_index, topic.topic_id)
        for topic in metadata.topics
        for each in topic.partitions
        if each.leader_id == node
    ]
    if not led:
        return LedBroker(node)
    _, name, partition, topic_id = min(led, key=lambda each: each[:3])
    return LedBroker(node, name, topic_id, partition)


def diagnosis_of(addresses: list[AddressDiagnosis], *, is_over: bool) -> Diagnosis:
    results = tuple(each.result() for each in addresses)
    failed = [step for result in results for step in result.steps if step.state == FAILED]
    limited = {step.name for result in results for step in result.steps if step.state == LIMITED}
    if failed:
        sentence = f"{failed[0].says} {failed[0].cure}"
    elif not is_over:
        sentence = "Trying."
    elif limited:
        sentence = f"Works, with limits: some requests failed ({', '.join(sorted(limited))})."
    else:
        sentence = f"Everything works on {_count(len(results), 'address')}."
    return Diagnosis(is_over and not failed, sentence, results)


def _count(count: int, noun: str) -> str:
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{count} {noun if count == 1 else plural}"
