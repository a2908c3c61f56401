"""Answers about positions: padding, rotary embeddings, ALiBi, cached positions."""
