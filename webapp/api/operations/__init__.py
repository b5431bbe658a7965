"""Jobs, storage, retention, the audit log."""
