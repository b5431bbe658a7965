"""Rules of projects."""
