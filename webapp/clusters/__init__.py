"""Kafka clusters that a project connects, and what is captured from them."""
