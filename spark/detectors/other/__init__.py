"""Detectors of other journals: Kafka's own topics, ksqlDB, Debezium."""
