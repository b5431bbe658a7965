"""What goes in and out, one module for each kind of row."""
