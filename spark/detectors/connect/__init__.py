"""Detectors of Kafka Connect's topics."""
