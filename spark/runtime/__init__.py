"""JVM, session, fork server, compiled code: what runs the stages. Must not know a journal."""
