"""What Spark or the installer starts: the daemon that forks Python workers, the class archive, compiling ahead."""
