"""Detectors of MirrorMaker 2's topics, and of topics that it copies."""
