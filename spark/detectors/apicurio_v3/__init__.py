"""Detectors of Apicurio Registry 3.x."""
