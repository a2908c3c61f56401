"""attention_ref: what the right answer is, for attention."""
