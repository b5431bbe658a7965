"""Parts of an incident as the Overview shows it: its victims, its plan."""
