"""What a page says: its text taken apart into blocks, outputs and inline checks."""
