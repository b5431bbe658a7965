"""What uploads and results take on disk: room, durability, scratch folders, the content store."""
