"""Detectors of other journals: ksqlDB, Debezium."""
