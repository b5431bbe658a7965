"""Inputs: from the paths that a user gives to the files that are inspected."""
