"""Views of the API and the pages about it: one module for each kind of row."""
