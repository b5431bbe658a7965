"""Apicurio Registry 2.x: what its KafkaSQL journal loses, and what its replay makes of it."""
