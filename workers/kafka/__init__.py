"""Asks Kafka brokers, and never tells them anything: the protocol by kafka-python's classes, without its clients.

`KafkaCluster` asks, `Networks` says where it may connect, `Address` and `Security` say how, `KafkaError` says what went wrong.
"""

from webapp.networks.guard import Networks
from workers.kafka.cluster import KafkaCluster
from workers.kafka.errors import BrokerError, KafkaError, NetworkBlocked, NotAllowed, NotSpoken, Unreachable
from workers.kafka.security import Address, Security

__all__ = [
    "Address",
    "BrokerError",
    "KafkaCluster",
    "KafkaError",
    "NetworkBlocked",
    "Networks",
    "NotAllowed",
    "NotSpoken",
    "Security",
    "Unreachable",
]
